import type { FileHandle } from "node:fs/promises";
import { isPlimsollError, PlimsollError } from "../error.ts";
import { isRecord } from "../json.ts";

/** Mode of a file that only its owner may read and write. A conversation is nobody else's. */
export const OWNER_ONLY_FILE_MODE = 0o600;

/** Mode of a folder that only its owner may enter. Folders that exist already keep theirs. */
export const OWNER_ONLY_FOLDER_MODE = 0o700;

const OTHERS_BITS = 0o077;

/** Takes from others what an earlier version let them have of a file. Does nothing if the system refuses. */
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
  ENXIO: "it is no regular file",
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

/** True for an error of the operating system with this code. */
export function hasCode(error: unknown, code: string): boolean {
  return isRecord(error) && error.code === code;
}
