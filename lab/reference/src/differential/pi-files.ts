import type { PiPreparation } from "../pi/pi-module.ts";

/** The lists behind a summary, as the program keeps them. */
export interface FileLists {
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
}

/** Compares the lists behind our summaries with the program's, if the session's calls are named as the program's own: else it lists nothing. */
export function filesDifference(summaries: readonly string[], theirs: PiPreparation, format: string): string | null {
  if (format !== "pi") return "not-comparable";
  const text = summaries.join("\n");
  const own = [linesOf("modified-files", text), linesOf("read-files", text)];
  if (own.flat().some(isCount)) return "room";
  const { readFiles, modifiedFiles } = listsOf(theirs);
  if (JSON.stringify(own) === JSON.stringify([modifiedFiles, readFiles])) return null;
  if (JSON.stringify(own) !== JSON.stringify(own.map((files) => files.toSorted()))) return "order";
  const known = new Set(own.flat());
  return [...modifiedFiles, ...readFiles].every((path) => known.has(path)) ? "whole-log" : "files";
}

/** The program's list: what was read and modified is modified, by name. */
export function listsOf({ fileOps }: Pick<PiPreparation, "fileOps">): FileLists {
  const modified = new Set([...fileOps.edited, ...fileOps.written]);
  return {
    readFiles: [...fileOps.read].filter((path) => !modified.has(path)).toSorted(),
    modifiedFiles: [...modified].toSorted(),
  };
}

/** The list of a summary of ours. */
export function listedFiles(summary: string): FileLists {
  const named = (tag: string) => linesOf(tag, summary).filter((line) => !isCount(line));
  return { readFiles: named("read-files"), modifiedFiles: named("modified-files") };
}

function linesOf(tag: string, text: string): readonly string[] {
  const [, lines = ""] = new RegExp(`<${tag}>\\n([^<]*)\\n</${tag}>`).exec(text) ?? [];
  return lines === "" ? [] : lines.split("\n");
}

/** The line that counts what had no room. */
function isCount(line: string): boolean {
  return line.startsWith("(");
}
