import { rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { PlimsollError } from "@plimsoll/core";

/**
 * Writes the file under a temporary name next to it and renames it, so that nobody ever sees half of it. A folder that is
 * not there is not made: its name is more often mistyped than meant. Throws `bad-input` if the place cannot be written to.
 */
export async function writeWholeFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => {});
    const isFolderThere = (await stat(dirname(path)).catch(() => null))?.isDirectory() === true;
    const why = cause instanceof Error ? cause.message : String(cause);
    const reason = isFolderThere ? why : `there is no folder ${dirname(path)}; make it first`;
    throw new PlimsollError("bad-input", `${path}: cannot be written (${reason})`, { file: path }, cause);
  }
}
