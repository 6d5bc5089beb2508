import { randomUUID } from "node:crypto";
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { refusal } from "./on-file.ts";
import { handlePath, openPlace } from "./open-place.ts";

/** Permissions of a new file, before the process's mask. */
const NEW_FILE_MODE = 0o666;

/**
 * Puts a text in the place of a file, or makes the file. It is written under another name and renamed when it is whole, so that a full disk leaves
 * what was there; owner and permissions stay. The folder above must exist.
 */
export async function replaceFile(place: string, text: string): Promise<void> {
  const folder = await openPlace(dirname(place), "folder");
  try {
    const base = process.platform === "linux" ? handlePath(folder) : dirname(place);
    const target = join(base, basename(place));
    const old = await lstat(target).catch(() => null);
    if (old !== null && !old.isFile()) throw refusal(old.isDirectory() ? "EISDIR" : "ENXIO");
    const draft = join(base, `.${randomUUID()}.part`);
    const file = await open(draft, "wx", old?.mode ?? NEW_FILE_MODE);
    try {
      await writeAs(file, text, old);
      await rename(draft, target);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  } finally {
    await folder.close();
  }
}

interface Ownership {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

async function writeAs(file: FileHandle, text: string, old: Ownership | null): Promise<void> {
  try {
    await file.writeFile(text);
    if (old === null) return;
    // Only the owner of a file or the system's may give it away; for all others it is theirs already.
    await file.chown(old.uid, old.gid).catch(() => undefined);
    await file.chmod(old.mode);
  } finally {
    await file.close();
  }
}
