import { randomUUID } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rm,
  rmdir,
  symlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { PlimsollError } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { openRegularFile } from "@plimsoll/stores";

/** Sentences for the operating system's refusals, by error code, said of a path. */
const SAID: { readonly [code: string]: string | undefined } = {
  ENOENT: "does not exist",
  EISDIR: "is a folder",
  ENOTDIR: "goes through a file as if it were a folder",
  ENOTEMPTY: "is a folder that is not empty",
  EEXIST: "exists already",
  EACCES: "may not be touched: permission denied",
  EPERM: "may not be touched: permission denied",
  EROFS: "is on a disk that is read-only",
  ELOOP: "is a symbolic link, or leads through too many",
  ENAMETOOLONG: "has too long a name",
  ENXIO: "is not a regular file",
  EBUSY: "is in use",
  ESTALE: "was moved or linked elsewhere meanwhile",
};

/** Works on a file. A refusal of the operating system rejects with `bad-input` and a line that names the path as it was given. */
export async function onFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = isRecord(error) && typeof error.code === "string" ? error.code : "";
    if (code === "ENOSPC" || code === "EDQUOT")
      throw new PlimsollError("bad-input", `${path} was not written: the disk is full`, { path }, error);
    const said = SAID[code];
    throw said === undefined ? error : new PlimsollError("bad-input", `${path} ${said}`, { path }, error);
  }
}

/** A refusal of ours, in the form of the operating system's. */
function refusal(code: "EISDIR" | "ENXIO" | "ESTALE"): Error {
  return Object.assign(new Error(code), { code });
}

/**
 * Opens a folder to work in, at its real place. Between the check of a path and its use someone can put a symbolic link there: in place of the last
 * name it is never followed, and if the system gives a handle's target (Linux) neither is one above it.
 */
async function openFolder(place: string): Promise<FileHandle> {
  const handle = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY);
  try {
    const found = await readlink(handlePath(handle)).catch(() => null);
    if (found !== null && found !== place) throw refusal("ESTALE");
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The name under which Linux gives an open handle; a path below an open folder's leads into that folder, even if it was renamed. */
function handlePath({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

/** Works with the path of a folder that is open meanwhile. Only Linux names a folder by its open handle; elsewhere it goes by its path. */
async function inFolder<T>(place: string, work: (path: string) => Promise<T>): Promise<T> {
  const folder = await openFolder(place);
  return await work(process.platform === "linux" ? handlePath(folder) : place).finally(() => folder.close());
}

/** Entries of a folder at its real place: of the folder that was opened, where the system can name it (Linux). */
export async function readFolder(place: string): Promise<Dirent[]> {
  if (process.platform === "win32") return await readdir(place, { withFileTypes: true });
  return await inFolder(place, (path) => readdir(path, { withFileTypes: true }));
}

interface FileText {
  readonly text: string;
  readonly isBinary: boolean;
  readonly totalBytes: number;
  /** False if the file is larger than the part that was read. */
  readonly isWhole: boolean;
}

/**
 * The first bytes of a regular file at its real place as text, at most so many. Invalid UTF-8 becomes U+FFFD; a NUL byte among the first ones
 * makes it binary.
 */
export async function readTextFile(place: string, maximumBytes: number): Promise<FileText> {
  const file = await openRegularFile(place, { place });
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, maximumBytes));
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    const bytes = buffer.subarray(0, length);
    const isBinary = bytes.subarray(0, BINARY_PROBE_BYTES).includes(0);
    const text = isBinary ? "" : new TextDecoder("utf-8").decode(bytes);
    return { text, isBinary, totalBytes: size, isWhole: size <= maximumBytes };
  } finally {
    await file.close();
  }
}

/** How far a NUL byte is looked for, as git does. */
const BINARY_PROBE_BYTES = 8_000;

/** Permissions of a new file, before the process's mask. */
const NEW_FILE_MODE = 0o666;

/**
 * Puts a text in the place of a file, or makes the file. It is written under another name and renamed when it is whole, so that a full disk leaves
 * the old file; owner and permissions stay. The folder above must exist.
 */
export async function replaceFile(
  place: string,
  text: string | AsyncIterable<Uint8Array>,
  mode: number = NEW_FILE_MODE,
): Promise<void> {
  await atPlace(place, async (target) => {
    const old = await lstat(target).catch(() => null);
    if (old !== null && !old.isFile()) throw refusal(old.isDirectory() ? "EISDIR" : "ENXIO");
    const draft = join(dirname(target), `.${randomUUID()}.part`);
    const file = await open(draft, "wx", old?.mode ?? mode);
    const write = async () => {
      await writeFile(file, text);
      // Only the owner of a file or the system's may give it away; for all others it is theirs already.
      if (old !== null) await file.chown(old.uid, old.gid).catch(() => undefined);
      if (old !== null) await file.chmod(old.mode);
    };
    try {
      await write().finally(() => file.close());
      await rename(draft, target);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  });
}

/** Works on a name by a path into its folder as it was opened at its real place. */
export async function atPlace<T>(place: string, work: (path: string) => Promise<T>): Promise<T> {
  return await inFolder(dirname(place), (folder) => work(join(folder, basename(place))));
}

/** Makes a folder at its real place and those above it, each in the folder above as it was opened. */
export async function makeFolder(place: string): Promise<void> {
  try {
    await (await openFolder(place)).close();
  } catch (error) {
    if (!isRecord(error) || error.code !== "ENOENT") throw error;
    await makeFolder(dirname(place));
    await atPlace(place, (path) => mkdir(path, { recursive: true }));
  }
}

/** Removes the entry at a real place, and everything in it: each entry from its folder as it was opened. Of a link the link goes. */
export async function removeEntry(place: string): Promise<void> {
  const stats = await atPlace(place, (path) => lstat(path));
  if (!stats.isDirectory()) return await atPlace(place, (path) => rm(path));
  for (const entry of await readFolder(place)) await removeEntry(join(place, entry.name));
  await atPlace(place, (path) => rmdir(path));
}

/** Copies a file, or a folder with everything in it, over an existing one. Links in a folder are copied as they are. */
export async function copyEntry(from: string, to: string): Promise<void> {
  const stats = await atPlace(from, (path) => lstat(path));
  if (stats.isDirectory()) {
    await makeFolder(to);
    for (const entry of await readFolder(from)) {
      const [inside, target] = [join(from, entry.name), join(to, entry.name)];
      if (!entry.isSymbolicLink()) await copyEntry(inside, target);
      else {
        const leadsTo = await atPlace(inside, (path) => readlink(path));
        await atPlace(target, (path) => rm(path, { force: true }).then(() => symlink(leadsTo, path)));
      }
    }
  } else {
    const file = await openRegularFile(from, { place: from });
    // The stream closes the file.
    await replaceFile(to, file.createReadStream(), stats.mode);
  }
}
