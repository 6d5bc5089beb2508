import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync } from "node:fs";
import { type FileHandle, open, readlink } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";

/** Whether a link in place of the file's own name is followed. */
type Links = "follow" | "refuse";

/** Without `O_NONBLOCK`, opening a pipe without a writer never ends. On a regular file it does nothing. */
function flagsFor(links: Links): number {
  return constants.O_NONBLOCK | (links === "refuse" ? constants.O_NOFOLLOW : 0);
}

/** A refusal of ours, in the form of the operating system's. */
function refusal(code: "EFBIG" | "EISDIR" | "ENXIO" | "ESTALE"): Error {
  return Object.assign(new Error(MEANINGS[code] ?? code), { code });
}

/** Sentences for the operating system's refusals, said of a file. */
const MEANINGS: { readonly [code: string]: string | undefined } = {
  EFBIG: "is too large",
  EISDIR: "is a folder",
  ENXIO: "is not a regular file",
  ESTALE: "was moved or linked elsewhere meanwhile",
  ELOOP: "is a symbolic link, or leads through too many",
  ENOTDIR: "goes through a file as if it were a folder",
  EACCES: "may not be read: permission denied",
  EPERM: "may not be read: permission denied",
};

/** Refuses anything but a regular file: a folder, a device, a pipe, a socket. */
function checkRegular(stats: { isFile(): boolean; isDirectory(): boolean }): void {
  if (stats.isDirectory()) throw refusal("EISDIR");
  if (!stats.isFile()) throw refusal("ENXIO");
}

/**
 * Opens a regular file; rejects with the operating system's codes, `ENXIO` for a device, a pipe or a socket, which are never read. If the system
 * gives an open file's place (Linux), it must be `place`, so that no link above it can be swapped in between the check of a path and its use.
 */
export async function openRegularFile(
  path: string,
  { flags = constants.O_RDONLY, links = "refuse", mode, place }: RegularFileOptions = {},
): Promise<FileHandle> {
  const file = await open(path, flags | flagsFor(links), mode);
  try {
    checkRegular(await file.stat());
    const found = place === undefined ? null : await readlink(`/proc/self/fd/${file.fd}`).catch(() => null);
    if (found !== null && found !== place) throw refusal("ESTALE");
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** How a regular file is opened. */
interface RegularFileOptions {
  readonly flags?: number;
  readonly links?: Links;
  /** Permissions of a file that is made. */
  readonly mode?: number;
  /** The real path that the open file must have. */
  readonly place?: string;
}

/** {@link openRegularFile} without waiting, for reading: the number of the open file. `place` is the real path that it must have. */
export function openRegularFileSync(path: string, links: Links = "follow", place?: string): number {
  const file = openSync(path, constants.O_RDONLY | flagsFor(links));
  try {
    checkRegular(fstatSync(file));
    const found = place === undefined ? null : placeOf(file);
    if (found !== null && found !== place) throw refusal("ESTALE");
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** The result of reading a small file: its text, that there is none, or the reason why it was not read, to be put behind its name. */
export type SmallFile =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "absent" }
  | { readonly kind: "refused"; readonly why: string };

/** Which file is read, and how large it may be. */
interface SmallFileOptions {
  /** The folder that it must be in, after all links; left out for a file that the person named. */
  readonly within?: string;
  readonly maximumBytes?: number;
}

/** The most bytes of a file of settings or of a policy; chosen: a policy written in full has 6,000, and a parser takes a minute for 1,000,000. */
const MAXIMUM_SETTINGS_BYTES = 100_000;

/**
 * Reads instructions or settings: a regular file of at most so many bytes (as many as settings have if it is left out). In a folder that may be a stranger's it follows
 * no link out of it. A hard link looks like the file itself, but no archive or clone can make one to a file outside.
 */
export function readSmallFile(
  path: string,
  { within, maximumBytes = MAXIMUM_SETTINGS_BYTES }: SmallFileOptions = {},
): SmallFile {
  const refused = (why: string): SmallFile => ({ kind: "refused", why });
  try {
    const place = realpathSync(path);
    if (within !== undefined && !isInside(realpathSync(within), place))
      return refused("is a link that leads out of this folder");
    const file = openRegularFileSync(place, "refuse", place);
    try {
      const bytes = readAtMost(file, maximumBytes);
      if (bytes === null) return refused(`has more than ${maximumBytes} bytes`);
      return { kind: "text", text: bytes.toString("utf8") };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (hasCode(error, "ENOENT")) return isThere(path) ? refused("is a link to nothing") : { kind: "absent" };
    const code = Object.keys(MEANINGS).find((each) => hasCode(error, each));
    return refused(MEANINGS[code ?? ""] ?? `cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
}

/** The present place of an open file, if the system gives it. */
function placeOf(file: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    return null;
  }
}

/** A link to nothing has a target; a name that is missing has none. */
function isThere(path: string): boolean {
  try {
    readlinkSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Reads all bytes of an open file; `null` if there are more than `maximumBytes`, even if the file states a smaller size or grows meanwhile. */
export function readAtMost(file: number, maximumBytes: number): Buffer | null {
  const { size } = fstatSync(file);
  if (size > maximumBytes) return null;
  const pieces: Buffer[] = [];
  let length = 0;
  for (;;) {
    const piece = Buffer.allocUnsafe(Math.min(Math.max(size - length, 0) + SPARE_BYTES, maximumBytes - length + 1));
    const read = readSync(file, piece, 0, piece.length, null);
    if (read === 0) return Buffer.concat(pieces, length);
    length += read;
    if (length > maximumBytes) return null;
    pieces.push(piece.subarray(0, read));
  }
}

/**
 * Reads a regular file, such as one of a cache. Throws the operating system's codes, `ENXIO` for a device, a pipe or a socket, and `EFBIG` for more than
 * so many bytes.
 */
export function readRegularFile(path: string, maximumBytes: number): Buffer {
  const file = openRegularFileSync(path);
  try {
    const bytes = readAtMost(file, maximumBytes);
    if (bytes === null) throw refusal("EFBIG");
    return bytes;
  } finally {
    closeSync(file);
  }
}

/** Read beyond the size that a file says it has; chosen. */
const SPARE_BYTES = 4_096;

/**
 * Checks before a write whether a link leads out of `root` on the way to the folder `name` below it. Returns `null` if none does, even if the folder does not exist yet;
 * else the outside path.
 */
export function leadsOut(root: string, name: string): string | null {
  const real = realpathSync(root);
  let path = real;
  for (const step of name.split(/[\\/]/).filter((each) => each !== "" && each !== ".")) {
    path = join(path, step);
    if (!isThere(path)) continue;
    try {
      path = realpathSync(path);
    } catch {
      return path;
    }
    if (!isInside(real, path)) return path;
  }
  return isInside(real, path) ? null : path;
}

/** True if `place` is the folder `root` or below it. Give both as real paths, without links. */
export function isInside(root: string, place: string): boolean {
  const below = relative(root, place);
  return below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

/** Mode of a file that only its owner may read and write. A conversation is private. */
export const OWNER_ONLY_FILE_MODE = 0o600;

/** Mode of a folder that only its owner may enter. Folders that exist already keep theirs. */
export const OWNER_ONLY_FOLDER_MODE = 0o700;

const OTHERS_BITS = 0o077;

/** Removes others' rights to a file that an earlier version gave. Does nothing if the system refuses. */
export async function makeOwnerOnly(file: FileHandle): Promise<void> {
  const { mode } = await file.stat();
  // A file of another user stays as it is: its owner decides.
  if ((mode & OTHERS_BITS) !== 0) await file.chmod(OWNER_ONLY_FILE_MODE).catch(() => undefined);
}

/** Sentences for the operating system's common refusals, for a person. */
const REASONS: { readonly [code: string]: string | undefined } = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the disk is read-only",
  ENOENT: "the file or its folder is gone",
  EISDIR: "it is a folder",
  ENXIO: "it is not a regular file",
  ELOOP: "it is a symbolic link; name the file that it leads to",
  EMFILE: "too many files are open",
};

/** A failed file operation as one line for a person. An error of ours comes back as it is. */
export function fileFailure(path: string, error: unknown): PlimsollError {
  if (isPlimsollError(error)) return error;
  const code = isRecord(error) && typeof error.code === "string" ? error.code : null;
  const reason = (code === null ? undefined : REASONS[code]) ?? (error instanceof Error ? error.message : String(error));
  return new PlimsollError("bad-session", `${path}: ${reason}`, { file: path, errno: code }, error);
}

/** Does work on a file. Its failures become those of {@link fileFailure}. */
export async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileFailure(path, error);
  }
}

/** True for an error of the operating system with this code. */
export function hasCode(error: unknown, code: string): boolean {
  return isRecord(error) && error.code === code;
}
