import type { Message } from "@plimsoll/core";
import { textOf, toolCallsOf } from "@plimsoll/core";
import { comparableText, numberedLines } from "./comparable-text.ts";
import type { EditQuote } from "./edit-quotes.ts";
import { editQuotes } from "./edit-quotes.ts";
import type { Needles, Wanted } from "./wanted.ts";

/** An old text shorter than this is met by chance (docs/evidence.md). */
const SHORTEST_QUOTE_CHARS = 20;

/** Of a file that is changed, this share of the lines must stand together (docs/evidence.md). */
const FILE_SHARE = 0.8;

/** The needs of files in replies, followed message by message. */
export interface Files {
  needed(reply: Message): readonly Wanted[];
  follow(message: Message): void;
}

/** The newest reading or writing of each file, and what a reply that changes files quotes of them. */
export function createFiles(needles: Needles): Files {
  const newest = createNewestTexts();
  /** Of files as a tool showed them last with their numbers, after a change too: a range of lines is told by it. */
  const numbered = createNewestTexts();
  const readings = new Map<string, string>();
  const changes = new Map<string, string>();
  /** By the text of a file: between two readings it is changed several times. */
  const inHand = new Map<string, number>();
  const needleOf = (text: string): number => {
    const known = inHand.get(text);
    if (known !== undefined) return known;
    const needle = needles.number(withoutBlankEnds(comparableText(text)), FILE_SHARE);
    inHand.set(text, needle);
    return needle;
  };
  return {
    needed(reply) {
      const calls = toolCallsOf(reply);
      const quoted = calls.flatMap(editQuotes).flatMap((quote) => quotedText(quote, numbered) ?? []);
      const edits = new Set(quoted.map(comparableQuote).filter(({ length }) => length >= SHORTEST_QUOTE_CHARS));
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
      const text = textOf(message);
      const [read, changed] = [readings.get(message.callId), changes.get(message.callId)];
      if (read !== undefined) newest.set(read, text);
      if (read !== undefined) numbered.set(read, text);
      else if (changed !== undefined && numberedLines(text) !== null) numbered.set(changed, text);
    },
  };
}

/** The newest text of each file. */
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

/** White space at a quote's ends says nothing: an editor's quote may begin within a line. */
function comparableQuote(text: string): string {
  return comparableText(text).trim();
}

/** Whole lines are compared: the white space before the first one belongs to it. */
function withoutBlankEnds(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}

function quotedText(quote: EditQuote, numbered: Pick<NewestTexts, "get">): string | null {
  if (quote.kind === "text") return quote.text;
  const lines = numberedLines(numbered.get(quote.path) ?? "");
  if (lines === null) return null;
  const range = Array.from({ length: quote.last - quote.first + 1 }, (_, place) => lines.get(quote.first + place));
  return range.includes(undefined) ? null : range.join("\n");
}

/** The whole text that a call writes into a file; `null` for a change of a part. */
function writtenText(argumentsJson: string): string | null {
  const written = /^\s*\{/.test(argumentsJson) ? textsUnder(argumentsJson, ["content", "contents", "file_text"]) : [];
  return written[0] ?? null;
}

function textsUnder(argumentsJson: string, keys: readonly string[]): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(argumentsJson);
    if (typeof parsed !== "object" || parsed === null) return [];
    return Object.entries(parsed).flatMap(([key, value]) => (keys.includes(key) && typeof value === "string" ? [value] : []));
  } catch {
    // Arguments that a model cut off write nothing.
    return [];
  }
}
