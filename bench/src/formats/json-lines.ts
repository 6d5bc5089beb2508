import { isNestedDeeper, isRecord, jsonIn } from "@plimsoll/core/extend";
import type { ImportNote } from "../transcript.ts";
import type { Fields } from "./fields.ts";
import type { FileSource } from "./importer.ts";

/**
 * Hands over the objects of a file with one JSON object a line. Blank lines are passed over; several objects on a line are taken
 * apart; a last line that is cut off and any other line that holds no object are left out. Each of these is noted, and
 * none of them ends the reading.
 */
export async function readObjects(
  source: FileSource,
  notes: ImportNote[],
  take: (object: { readonly line: number; readonly value: Fields }) => void,
): Promise<void> {
  let broken: { readonly line: number; readonly text: string } | null = null;
  for (const { number, text } of source.lines()) {
    if (text.trim() === "") continue;
    if (broken !== null) notes.push(unreadableLine(source.displayName, broken.line));
    broken = null;
    const value = jsonIn(text);
    if (isRecord(value)) take({ line: number, value });
    else if (value !== undefined) broken = { line: number, text: "" };
    else if (isNestedDeeper(text))
      notes.push(unreadableLine(source.displayName, number, "JSON that is nested too deeply to read"));
    else {
      const { objects, rest } = splitObjects(text);
      const values = objects.map(jsonIn).filter(isRecord);
      const said = `${source.displayName}:${number}: ${values.length} JSON objects on one line; each was read`;
      if (values.length > 0) notes.push({ code: "several-objects-on-a-line", line: number, text: said });
      for (const item of values) take({ line: number, value: item });
      if (values.length === 0 || rest !== "") broken = { line: number, text: rest };
    }
  }
  if (broken !== null) notes.push(lastLine(source.displayName, broken));
}

function lastLine(file: string, broken: { readonly line: number; readonly text: string }): ImportNote {
  if (!broken.text.startsWith("{")) return unreadableLine(file, broken.line);
  const text = `${file}:${broken.line}: the last line is cut off; it was left out`;
  return { code: "cut-off-line", line: broken.line, text };
}

function unreadableLine(file: string, line: number, words = "no JSON object on this line"): ImportNote {
  return { code: "unreadable-line", line, text: `${file}:${line}: ${words}; it was left out` };
}

/**
 * Cuts a line into the JSON objects that it holds, for logs in which two writers met on one line. It looks at brackets
 * outside of strings only, so that each piece still has to be parsed. One pass over the text.
 */
export function splitObjects(text: string): { readonly objects: readonly string[]; readonly rest: string } {
  const objects: string[] = [];
  let [depth, start, done] = [0, 0, 0];
  for (const [bracket, at] of bracketsIn(text)) {
    if (bracket === "{") {
      if (depth === 0) start = at;
      depth += 1;
    } else if (bracket === "}" && depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      objects.push(text.slice(start, at + 1));
      done = at + 1;
    }
  }
  return { objects, rest: text.slice(done).trim() };
}

/** Finds the brackets of a JSON text outside of its strings, each with its place. One pass. */
export function* bracketsIn(text: string): Generator<readonly [bracket: string, at: number]> {
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (isInString && character === "\\") at += 1;
    else if (character === '"') isInString = !isInString;
    else if (!isInString && "{}[]".includes(character)) yield [character, at];
  }
}
