import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { PlimsollError } from "@plimsoll/core";

/**
 * Writes the file under a temporary name next to it and renames it, so that nobody ever sees half of it. Folders on the way are made.
 * Throws `bad-input` if the place cannot be written to.
 */
export async function writeWholeFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => {});
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PlimsollError("bad-input", `${path}: cannot be written (${reason})`, { file: path }, cause);
  }
}
