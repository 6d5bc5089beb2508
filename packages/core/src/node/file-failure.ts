import { PlimsollError } from "../error.ts";
import { isRecord } from "../json.ts";

/** What the operating system's common refusals mean to a person. */
const REASONS: { readonly [code: string]: string | undefined } = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the disk is read-only",
  ENOENT: "the file or its folder is gone",
  EISDIR: "it is a folder",
  EMFILE: "too many files are open",
};

/** A failed file operation as one line for a person. An error of ours comes back as it is. */
export function fileFailure(path: string, error: unknown): PlimsollError {
  if (error instanceof PlimsollError) return error;
  const code = isRecord(error) && typeof error.code === "string" ? error.code : null;
  const reason = (code === null ? undefined : REASONS[code]) ?? (error instanceof Error ? error.message : String(error));
  return new PlimsollError("bad-session", `${path}: ${reason}`, { file: path, errno: code }, error);
}

/** True for an error of the operating system with this code. */
export function hasCode(error: unknown, code: string): boolean {
  return isRecord(error) && error.code === code;
}
