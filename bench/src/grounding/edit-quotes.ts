import type { ToolCallPart } from "@plimsoll/core";
import { isRecord, scriptCalls } from "@plimsoll/core/internal";

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
      // Of a script its calls count: what it quotes of a patch stands in it as the string of a program.
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

/** A block of a text that marks what is searched for and what replaces it. */
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
  return quotes.map((quote) => (quote.kind === "text" ? { ...quote, text: quote.text.replace(/\n+$/, "") } : quote));
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Arguments that are no JSON, such as a patch on its own, are read as text.
    return text;
  }
}
