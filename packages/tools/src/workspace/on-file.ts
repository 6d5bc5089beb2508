import { PlimsollError } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/internal";

/** What the operating system's refusals mean, said of a path. */
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
  ENXIO: "is no regular file",
  EBUSY: "is in use",
  ESTALE: "was moved or linked elsewhere meanwhile",
};

/** Works on a file. What the operating system refuses rejects with `bad-input` and a line that names the path as it was given. */
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

/** A refusal of ours, told as the operating system's are. */
export function refusal(code: "EISDIR" | "ENXIO" | "ESTALE"): Error {
  return Object.assign(new Error(code), { code });
}
