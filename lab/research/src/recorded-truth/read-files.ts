import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { isRecord } from "@plimsoll/core/extend";

/** A file as the agent knew it when it compacted. */
export interface KnownFile {
  readonly path: string;
  /** Of the whole file, also if a part was read. */
  readonly chars: number;
  readonly lines: number;
}

/** The agent's own rules and plans come back in other ways, and are no files that it reads again. */
const OWN_FILE = /(?:^|\/)CLAUDE(?:\.local)?\.md$|\/\.claude\/plans\//;

/**
 * The files that a session of Claude Code had touched at each of its compactions, the newest touched first, with their sizes. A result's
 * own copy in the log tells them, which is no part of what the model reads.
 */
export async function filesAtCompactions(path: string): Promise<readonly (readonly KnownFile[])[]> {
  const known = createKnownFiles();
  const found: (readonly KnownFile[])[] = [];
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    const value = parsed(line);
    if (value === null || value.isSidechain === true) continue;
    known.take(value);
    if (value.type !== "system" || value.subtype !== "compact_boundary") continue;
    found.push(known.newestFirst());
  }
  return found;
}

interface Fields {
  readonly [key: string]: unknown;
}

/** Takes the lines of a log in order; exported for its test. */
export function createKnownFiles(): {
  readonly take: (line: Fields) => void;
  readonly newestFirst: () => readonly KnownFile[];
} {
  const files = new Map<string, KnownFile>();
  const pathOf = new Map<string, { readonly path: string; readonly input: Fields }>();
  return {
    take: (line) => {
      for (const block of blocksOf(line)) {
        const input = fieldsAt(block, "input");
        const path = textAt(input, "file_path");
        if (block.type === "tool_use" && path !== null && !OWN_FILE.test(path))
          pathOf.set(textAt(block, "id") ?? "", { path, input: input ?? {} });
        const call = block.type === "tool_result" ? pathOf.get(textAt(block, "tool_use_id") ?? "") : undefined;
        const result = fieldsAt(line, "toolUseResult");
        if (call === undefined || result === null || block.is_error === true) continue;
        const size = sizeOf(result, call.input) ?? files.get(call.path) ?? null;
        if (size === null) continue;
        // A map lists its keys in the order in which they came: the newest touched stands last.
        files.delete(call.path);
        files.set(call.path, { ...size, path: call.path });
      }
    },
    newestFirst: () => [...files.values()].toReversed(),
  };
}

/** The size of a file after a result: read whole or in part, changed, or written; `null` if the copy does not tell. */
function sizeOf(result: Fields, input: Fields): Omit<KnownFile, "path"> | null {
  const file = fieldsAt(result, "file");
  const content = textAt(file, "content");
  if (content !== null) {
    const readLines = Math.max(1, numberAt(file, "numLines") ?? linesIn(content));
    const lines = Math.max(readLines, numberAt(file, "totalLines") ?? readLines);
    return { chars: Math.round((content.length * lines) / readLines), lines };
  }
  const original = textAt(result, "originalFile");
  const written = textAt(result, "content");
  if (written !== null) return { chars: written.length, lines: linesIn(written) };
  if (original === null) return null;
  const grown = (textAt(input, "new_string") ?? "").length - (textAt(input, "old_string") ?? "").length;
  return { chars: Math.max(0, original.length + grown), lines: linesIn(original) };
}

function linesIn(text: string): number {
  return text.split("\n").length;
}

function blocksOf(line: Fields): readonly Fields[] {
  const content = fieldsAt(line, "message")?.content;
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

function fieldsAt(fields: Fields | null, key: string): Fields | null {
  const value = fields?.[key];
  return isRecord(value) ? value : null;
}

function textAt(fields: Fields | null, key: string): string | null {
  const value = fields?.[key];
  return typeof value === "string" ? value : null;
}

function numberAt(fields: Fields | null, key: string): number | null {
  const value = fields?.[key];
  return typeof value === "number" ? value : null;
}

function parsed(line: string): Fields | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    // A line that is cut off tells nothing.
    return null;
  }
}
