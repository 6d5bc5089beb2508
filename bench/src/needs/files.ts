import { type Message, type ToolCallPart, textOf, toolCallsOf } from "@plimsoll/core";
import { isRecord, scriptCalls } from "@plimsoll/core/extend";
import type { Needles, Wanted } from "./needles.ts";
import { comparableText, numberedLines, parsedOrText, shownLines } from "./texts.ts";

/** An old text shorter than this is met by chance (docs/evidence.md). */
const SHORTEST_QUOTE_CHARS = 20;

/** Of a changed file, this share of the lines must be together (docs/evidence.md). */
const FILE_SHARE = 0.8;

/** The needs of files in replies, followed message by message. */
export interface Files {
  needed(reply: Message): readonly Wanted[];
  follow(message: Message): void;
}

/** The newest reading or writing of each file, and the quotations of them in a reply that changes files. */
export function createFiles(needles: Needles): Files {
  const newest = createNewestTexts();
  /** Of files as a tool last showed them with their numbers, after a change too: it identifies a range of lines. */
  const numbered = createNewestTexts();
  const readings = new Map<string, string>();
  const changes = new Map<string, string>();
  /** By the text of a file: between two readings it is changed several times. */
  const inHand = new Map<string, number>();
  const needleOf = (text: string): number => {
    const known = inHand.get(text);
    if (known !== undefined) return known;
    // Whole lines are compared: the white space before the first one belongs to it.
    const needle = needles.number(
      comparableText(text)
        .replace(/^(?:[ \t]*\n)+/, "")
        .trimEnd(),
      FILE_SHARE,
    );
    inHand.set(text, needle);
    return needle;
  };
  return {
    needed(reply) {
      const calls = toolCallsOf(reply);
      const quoted = calls.flatMap(editQuotes).flatMap((quote) => quotedText(quote, numbered) ?? []);
      const edits = new Set(
        quoted.map((text) => comparableText(text).trim()).filter(({ length }) => length >= SHORTEST_QUOTE_CHARS),
      );
      const wanted: Wanted[] = [...edits].map((text) => ({ kind: "edits", needle: needles.number(text) }));
      const changed = calls.flatMap(({ paths }) => paths.filter(({ access }) => access === "modify"));
      // A file that was never read or written in sight has the empty text, which no message holds: it is left out.
      for (const path of new Set(changed.map(({ path }) => path)))
        wanted.push({ kind: "fileInHand", needle: needleOf(newest.get(path) ?? "") });
      return wanted;
    },
    follow(message) {
      for (const { callId, paths, argumentsJson } of toolCallsOf(message)) {
        for (const { path, access } of paths) {
          if (access === "read" && paths.length === 1) readings.set(callId, path);
          const written = access === "modify" && paths.length === 1 ? writtenText(argumentsJson) : null;
          if (written !== null) newest.set(path, written);
          if (access === "modify" && paths.length === 1) changes.set(callId, path);
        }
      }
      if (message.role !== "tool-result" || message.isError) return;
      const lines = textOf(message).split("\n");
      const { from, end } = shownLines(lines);
      const text = lines.slice(from, end).join("\n");
      const [read, changed] = [readings.get(message.callId), changes.get(message.callId)];
      if (read !== undefined) newest.set(read, text);
      if (read !== undefined) numbered.set(read, text);
      else if (changed !== undefined && numberedLines(text) !== null) numbered.set(changed, text);
    },
  };
}

interface NewestTexts {
  set(path: string, text: string): void;
  get(path: string): string | undefined;
}

/** Files by their name: agents write one path from the root and from a folder. */
function createNewestTexts(): NewestTexts {
  const byName = new Map<string, { readonly path: string; readonly text: string }[]>();
  const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  return {
    set(path, text) {
      const others = (byName.get(nameOf(path)) ?? []).filter((known) => known.path !== path);
      byName.set(nameOf(path), [...others, { path, text }]);
    },
    get: (path) => byName.get(nameOf(path))?.findLast((known) => isSameFile(known.path, path))?.text,
  };
}

/** Equal, or a path from the root that ends in one from a folder. */
function isSameFile(one: string, other: string): boolean {
  const [longer, shorter] = one.length > other.length ? [one, other] : [other, one];
  return longer === shorter || (longer.startsWith("/") && !shorter.startsWith("/") && longer.endsWith(`/${shorter}`));
}

function quotedText(quote: EditQuote, numbered: Pick<NewestTexts, "get">): string | null {
  if (quote.kind === "text") return quote.text;
  const lines = numberedLines(numbered.get(quote.path) ?? "");
  if (lines === null) return null;
  const range = Array.from({ length: quote.last - quote.first + 1 }, (_, place) => lines.get(quote.first + place));
  return range.includes(undefined) ? null : range.join("\n");
}

/** The whole text that a call writes into a file; `null` for a change of a part. Arguments that a model cut off write nothing. */
function writtenText(argumentsJson: string): string | null {
  const written = parsedOrText(argumentsJson);
  const texts = isRecord(written) ? Object.entries(written).filter(([key]) => WHOLE_TEXTS.has(key)) : [];
  return texts.map(([, text]) => text).find((text) => typeof text === "string") ?? null;
}

const WHOLE_TEXTS: ReadonlySet<string> = new Set(["content", "contents", "file_text"]);

/** The quotation of a file in a call that changes it: a text, or the lines of a range, by number from 1, both ends included. */
export type EditQuote =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "range"; readonly path: string; readonly first: number; readonly last: number };

/**
 * The quotes of a call, by the shape of its arguments and not by its tool's name: an old text beside a new one, the context and
 * removed lines of each hunk of a patch, a range of lines beside a new text. None for a call that changes nothing. Linear in the arguments.
 */
export function editQuotes({ argumentsJson }: Pick<ToolCallPart, "argumentsJson">): readonly EditQuote[] {
  const quotes: EditQuote[] = [];
  const open: unknown[] = [parsedOrText(argumentsJson)];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") {
      // Of a script its calls count: a patch that it quotes is a string of the program.
      const calls = scriptCalls(value);
      if (calls.length > 0) open.push(...calls.map(({ args }) => args).reverse());
      else quotes.push(...patchQuotes(value), ...searchedTexts(value));
    }
    if (Array.isArray(value)) open.push(...value.toReversed());
    else if (isRecord(value)) {
      const quote = replacedText(value) ?? replacedRange(value);
      if (quote !== null) quotes.push(quote);
      open.push(...Object.values(value).reverse());
    }
  }
  return quotes;
}

/** Names that editing tools give to the text that is replaced, and to its replacement. */
const OLD_TEXTS = ["old_string", "oldString", "old_str", "oldText", "old_text"] as const;
const NEW_TEXTS = ["new_string", "newString", "new_str", "newText", "new_text"] as const;

function replacedText(record: Readonly<Record<string, unknown>>): EditQuote | null {
  const isReplaced = NEW_TEXTS.some((key) => key in record);
  const old = isReplaced ? OLD_TEXTS.map((key) => record[key]).find((text) => typeof text === "string") : undefined;
  const text = "replace" in record ? (old ?? record.search) : old;
  return typeof text === "string" ? { kind: "text", text } : null;
}

/** A block of a text that marks a searched text and its replacement. */
const SEARCH_BLOCK = /^(?:<{7}|-{7}) SEARCH>?\n([\s\S]*?)\n={7}$/gm;

function searchedTexts(text: string): readonly EditQuote[] {
  if (!text.includes(" SEARCH")) return [];
  return [...text.replaceAll("\r\n", "\n").matchAll(SEARCH_BLOCK)].map(([, searched = ""]) => ({
    kind: "text",
    text: searched,
  }));
}

function replacedRange(record: Readonly<Record<string, unknown>>): EditQuote | null {
  const path = record.path ?? record.file_path;
  const first = record.start_line ?? record.startLine;
  const last = record.end_line ?? record.endLine;
  const changes = ["new_text", "content", "replacement", "new_content"].some((key) => typeof record[key] === "string");
  if (typeof path !== "string" || typeof first !== "number" || typeof last !== "number" || !changes) return null;
  return { kind: "range", path, first, last };
}

const HUNK_START = "@@";

/** Beginnings of the lines that end a hunk. A removed line may look like the head of a file: that one has its second half behind it. */
const SECTION_STARTS = ["*** ", "diff --git ", "index "];

/** The old side of each hunk of a patch in the text: its context and removed lines. Nothing if there is no patch. */
function patchQuotes(text: string): readonly EditQuote[] {
  if (!text.includes(`\n${HUNK_START}`) && !text.includes("*** Update File: ")) return [];
  const quotes: EditQuote[] = [];
  let old: string[] | null = null;
  const close = () => {
    if (old !== null && old.length > 0) quotes.push({ kind: "text", text: old.join("\n") });
    old = null;
  };
  const lines = text.split(/\r?\n/);
  for (const [place, line] of lines.entries()) {
    const isFileHead = line.startsWith("--- ") && (lines[place + 1] ?? "").startsWith("+++ ");
    if (line.startsWith(HUNK_START) || line.startsWith("*** Update File: ")) {
      close();
      old = [];
    } else if (isFileHead || SECTION_STARTS.some((start) => line.startsWith(start))) close();
    else if (old !== null) {
      const mark = line.charAt(0);
      if (mark === " " || mark === "-") old.push(line.slice(1));
      else if (line === "") old.push("");
      else if (mark !== "+" && mark !== "\\") close();
    }
  }
  close();
  return quotes.map((quote) => (quote.kind === "text" ? { ...quote, text: quote.text.replace(/(?<!\n)\n+$/, "") } : quote));
}
