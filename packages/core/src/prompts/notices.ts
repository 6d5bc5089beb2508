/** Our texts in the place of parts that a compaction took out of a context: notices, stubs, recalled passages and the header of a summary. */
import { CONTEXT_FRAMING, nameInBrackets, quotedText, unquotedText } from "../message/framing.ts";
import type { Message } from "../message/message.ts";
import type { CoverageCount } from "../message/size.ts";
import { characterBoundaryAtOrAfter, characterBoundaryAtOrBefore } from "../text.ts";

/** The notice in the place of messages that were dropped without a summary: it counts them and names the handle that finds them again. */
export function droppedText(covered: CoverageCount, handle: string): string {
  const messages = covered.messages === 1 ? "1 earlier message was" : `${covered.messages} earlier messages were`;
  return `[Notice: the history was emergency-compacted. ${messages} (${covered.chars} characters) dropped from the context without a summary; they remain in the session log, handle ${handle}. Ask for what you need or read files again.]`;
}

/** The stub in the place of a cleared part: its description (cut if it is long), its size, and the handle that finds it again. */
export function clearedText(what: string, chars: number, handle: string): string {
  return `[${nameInBrackets(what)} cleared: ${chars} characters; handle ${handle}]`;
}

/** The line between the head and the tail of a shortened part. */
export function omittedText(chars: number, handle: string): string {
  return `[… ${chars} characters omitted; handle ${handle}]`;
}

/** A text's head and tail, half of so many UTF-16 units each, around the line that counts the omitted part. */
export function endsOf(text: string, keptChars: number, handle: string): string {
  const half = Math.floor(keptChars / 2);
  const head = text.slice(0, characterBoundaryAtOrBefore(text, half));
  const tail = text.slice(characterBoundaryAtOrAfter(text, text.length - half));
  return `${head}\n${omittedText(text.length - head.length - tail.length, handle)}\n${tail}`;
}

/** UTF-16 units that a stub may have in addition to its handle: with more it is no stub of ours, in spite of its ending. */
const STUB_BESIDES_CHARS = 120;

/** True for a text that is the stub of that handle: there is nothing left to clear. */
export function isClearedText(text: string, handle: string): boolean {
  return (
    text.length <= handle.length + STUB_BESIDES_CHARS && text.startsWith("[") && text.endsWith(` characters; handle ${handle}]`)
  );
}

/**
 * The notice in the place of messages that no model summarised, with counts by speaker, e.g. `[Compacted 5 messages: 2 user, 2 assistant, 1 tool result; handle …]`.
 * The files that were touched are listed with it, as they are with every summary.
 */
export function truncateText(messages: readonly Message[], handle: string): string {
  const counts = (["user", "assistant", "tool-result"] as const).flatMap((role) => {
    const count = messages.filter((message) => message.role === role).length;
    return count === 0 ? [] : [`${count} ${role === "tool-result" ? "tool result" : role}`];
  });
  const noun = messages.length === 1 ? "message" : "messages";
  return `[Compacted ${messages.length} ${noun}: ${counts.join(", ")}; handle ${handle}]`;
}

/** A passage of the log that stays readable after its message is gone, word for word. */
export interface RecalledPassage {
  /** The origin of the message: a tool's name, or the speaker. */
  readonly source: string;
  /** The file that it shows, else a description of its call; `null` if neither is known. */
  readonly shows: string | null;
  /** The file's lines, if the tool had numbered them. */
  readonly fromLine: number | null;
  readonly throughLine: number | null;
  /** Finds the whole message again. */
  readonly handle: string;
  /** Changes of the file, or of any file, since then; 0 for words. */
  readonly editsSince: number;
  /** True if lines of the text are missing in front of it, or behind it. */
  readonly isCut: { readonly before: boolean; readonly after: boolean };
  /** Without the numbers that a tool put before its lines. */
  readonly text: string;
}

/** Recalled passages as one text; `null` if there are none. Lines of them that would read as a head, a notice or a tag of ours are quoted. */
export function recalledText(passages: readonly RecalledPassage[]): string | null {
  if (passages.length === 0) return null;
  const lines = ["<recalled>"];
  let before: string | null = null;
  for (const [at, passage] of passages.entries()) {
    const { handle, text, isCut } = passage;
    lines.push(handle === before ? `[…${linesOf(passage)}]` : headOf(passage));
    // Numbers of lines say it, too.
    const isPlain = passage.fromLine === null;
    if (isPlain && isCut.before && handle !== before) lines.push(GAP);
    lines.push(quotedText(text, CONTEXT_FRAMING));
    if (isPlain && isCut.after && passages[at + 1]?.handle !== handle) lines.push(GAP);
    before = handle;
  }
  lines.push("</recalled>");
  return lines.join("\n");
}

const GAP = "[…]";

/** UTF-16 units of a file's path or a call's words in a head; chosen. */
const SHOWN_CHARS = 200;

function headOf(passage: RecalledPassage): string {
  const { source, shows, handle, editsSince } = passage;
  const name = nameInBrackets(quotedText(source, CONTEXT_FRAMING));
  const shown = shows === null ? "" : ` ${quotedText(nameInBrackets(shows, SHOWN_CHARS), CONTEXT_FRAMING)}`;
  const age = editsSince === 0 ? "" : `; ${editsSince} ${editsSince === 1 ? "edit" : "edits"} since`;
  return `[${name}${shown}${linesOf(passage)}; handle ${handle}${age}]`;
}

function linesOf({ fromLine, throughLine }: RecalledPassage): string {
  return fromLine === null || throughLine === null ? "" : ` lines ${fromLine} to ${throughLine}`;
}

/** The header before a summary in the context, so that the model takes it as a record and not as new orders. */
export const SUMMARY_HEADER = {
  id: "summary-header",
  version: 1,
  text: "[Conversation summary: the earlier part of this session, condensed. It is a record of what happened, not a new request.]",
} as const;

/** The text of a summary message. Copies of our own headers, notices, handles and tags in a summary are quoted: they are not ours. */
export function summaryText(summary: string): string {
  return `${SUMMARY_HEADER.text}\n\n${quotedText(summary.trim(), CONTEXT_FRAMING)}`;
}

/** The summary in the text of a summary message, as {@link summaryText} was given it. */
export function summaryIn(text: string): string {
  const summary = text.startsWith(SUMMARY_HEADER.text) ? text.slice(SUMMARY_HEADER.text.length) : text;
  return unquotedText(summary.trim(), CONTEXT_FRAMING);
}
