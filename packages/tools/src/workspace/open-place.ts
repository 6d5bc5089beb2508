import { constants } from "node:fs";
import { type FileHandle, open, readlink } from "node:fs/promises";
import { refusal } from "./on-file.ts";

/** What is opened: a regular file to read, or a folder to work in. */
export type OpenedKind = "file" | "folder";

const FLAGS: { readonly [Kind in OpenedKind]: number } = {
  // Without the last one, opening a pipe that nobody writes to never ends.
  file: constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  folder: constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY,
};

/**
 * Opens what stands at a real place. Between the check of a path and its use someone can put a symbolic link there: in place of the last name
 * it is never followed, and where the system says what a handle leads to (Linux) neither is one above it. Rejects for what is no regular file. `onFile`
 * says why in words.
 */
export async function openPlace(place: string, kind: OpenedKind): Promise<FileHandle> {
  const handle = await open(place, FLAGS[kind]);
  try {
    const stats = await handle.stat();
    if (kind === "file" && stats.isDirectory()) throw refusal("EISDIR");
    if (kind === "file" && !stats.isFile()) throw refusal("ENXIO");
    const found = await readlink(handlePath(handle)).catch(() => null);
    if (found !== null && found !== place) throw refusal("ESTALE");
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The name under which Linux gives an open handle; a path below an open folder's leads into that folder, whatever its name is by now. */
export function handlePath({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}
