import { isPlimsollError } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/internal";
import { type Fields, parseRecord } from "./fields.ts";
import type { FileHead, FileSource } from "./importer.ts";

/** How much of a file is looked at to recognise its format, in UTF-16 code units; the first line is always read whole. */
const HEAD_CHARS = 1 << 16;

/** How many objects are enough to recognise a format: logs open with a few lines of bookkeeping. */
const HEAD_OBJECTS = 16;

/**
 * The beginning of a file. The first objects are those of its first lines; for a document over several lines, the
 * document itself, or the first objects of its array.
 */
export async function readHead(source: FileSource): Promise<FileHead> {
  const lines: string[] = [];
  const objects: Fields[] = [];
  let chars = 0;
  for await (const { text } of source.lines()) {
    if (chars > 0 && chars + text.length > HEAD_CHARS) break;
    chars += text.length;
    lines.push(text);
    const value = parseRecord(text);
    if (value !== null) objects.push(value);
    if (objects.length >= HEAD_OBJECTS) break;
  }
  const text = lines.join("\n").slice(0, HEAD_CHARS);
  const opening = text.trimStart()[0];
  const isDocument = objects.length === 0 && (opening === "{" || opening === "[");
  return { text, firstObjects: isDocument ? await documentObjects(source) : objects };
}

async function documentObjects(source: FileSource): Promise<readonly Fields[]> {
  try {
    const value = await source.document();
    if (Array.isArray(value)) return value.filter(isRecord).slice(0, HEAD_OBJECTS);
    return isRecord(value) ? [value] : [];
  } catch (error) {
    if (isPlimsollError(error)) throw error;
    // Not a JSON document: no format will recognise it, and the registry says so.
    return [];
  }
}
