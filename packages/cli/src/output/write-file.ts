import { closeSync, existsSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PlimsollError } from "@plimsoll/core";

/**
 * Writes the file under a temporary name next to it and renames it, so that nobody ever sees half of it. Ctrl-C cannot come in between, as nothing is
 * waited for. A folder that is not there is not made: its name is more often mistyped than meant. A long text comes in pieces, which are never held at once.
 * Throws `bad-input` if the place cannot be written to.
 */
export function writeWholeFile(path: string, text: string | Iterable<string>): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writePieces(temporary, typeof text === "string" ? [text] : text);
    renameSync(temporary, path);
  } catch (cause) {
    if (existsSync(temporary)) rmSync(temporary);
    const isFolderThere = existsSync(dirname(path));
    const why = cause instanceof Error ? cause.message : String(cause);
    const reason = isFolderThere ? why : `there is no folder ${dirname(path)}; make it first`;
    throw new PlimsollError("bad-input", `${path}: cannot be written (${reason})`, { file: path }, cause);
  }
}

/** Characters that are written at a time; chosen. */
const WRITTEN_CHARS = 1 << 20;

function writePieces(path: string, pieces: Iterable<string>): void {
  const file = openSync(path, "w");
  try {
    let pending = "";
    for (const piece of pieces) {
      pending += piece;
      if (pending.length < WRITTEN_CHARS) continue;
      writeFileSync(file, pending);
      pending = "";
    }
    writeFileSync(file, pending);
  } finally {
    closeSync(file);
  }
}
