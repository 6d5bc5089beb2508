import { type Framing, quotedText } from "../message/framing.ts";
import { handleReadings, type PartHandle, parseHandle, partHandle, type SpanHandle } from "../message/handle.ts";
import type { Part } from "../message/message.ts";
import { characterBoundaryAtOrAfter, characterBoundaryAtOrBefore } from "../text.ts";
import type { LoggedMessages } from "./message-index.ts";

/** Which part of a text is wanted back, in UTF-16 code units. */
export interface RecallRange {
  readonly startChar: number;
  readonly maximumChars: number;
}

/** A piece of the text that a handle names. `totalChars` is the length of the whole text, in UTF-16 code units. */
export interface Recalled {
  readonly text: string;
  readonly startChar: number;
  readonly totalChars: number;
}

/** Most UTF-16 code units that one recall returns, so that it cannot fill the window; chosen. */
export const MAXIMUM_RECALL_CHARS = 16_000;

/**
 * A bounded piece of the original that a handle names: one part that was cleared or shortened, or a span of messages that was dropped
 * or summarised. A span that begins or ends with a summary or notice goes back to what that one covers. Handles that older versions
 * wrote are found too, and a beginning that is long enough. `null` if the log has no such message or part: nothing but this log is looked at.
 */
export async function recall(handle: string, range: RecallRange, log: LoggedMessages): Promise<Recalled | null> {
  for (const reading of handleReadings(handle)) {
    const found = "messageId" in reading ? await partPiece(log, reading, range) : await spanPiece(log, reading, range);
    if (found !== null) return found;
  }
  const messageId = log.meant(handle);
  return messageId === undefined ? null : await partPiece(log, { ...parseHandle(handle), messageId }, range);
}

/** The piece of a text that a range asks for, cut on character boundaries and never longer than {@link MAXIMUM_RECALL_CHARS}. */
export function pieceOf(text: string, range: RecallRange): Recalled {
  const start = characterBoundaryAtOrAfter(text, range.startChar);
  const end = characterBoundaryAtOrBefore(text, start + Math.min(range.maximumChars, MAXIMUM_RECALL_CHARS));
  return { text: text.slice(start, Math.max(start, end)), startChar: start, totalChars: text.length };
}

async function partPiece(
  log: LoggedMessages,
  { messageId, partIndex }: PartHandle,
  range: RecallRange,
): Promise<Recalled | null> {
  const part = (await log.find(messageId))?.parts[partIndex];
  return part === undefined ? null : pieceOf(readable(part), range);
}

/** Beginnings of the lines above the messages of a span, which no message may forge. */
const HEADS: Framing = { lines: ["[user", "[assistant", "[tool-result"], bracketWords: [], tags: [] };

/** Between two messages of a span. */
const SEPARATOR = "\n\n";

/**
 * A piece of the appended messages of a span as text, each under its role and handle, so that a single one can be asked for next. Messages
 * are read one by one and only what the range needs of them is kept: a span may be larger than memory.
 */
async function spanPiece(log: LoggedMessages, span: SpanHandle, range: RecallRange): Promise<Recalled | null> {
  const from = log.placesOf(span.from);
  const through = log.placesOf(span.through);
  if (from === undefined || through === undefined) return null;
  const endChar = range.startChar + Math.min(range.maximumChars, MAXIMUM_RECALL_CHARS);
  let wanted = "";
  let wantedFromChar: number | null = null;
  let totalChars = 0;
  // A summary that stepped over a message is shown before it, and covers what came later, too.
  const last = through.last < from.first ? through.last : Math.max(from.last, through.last);
  for (let place = from.first; place <= last; place++) {
    const message = await log.at(place);
    if (message === undefined) continue;
    const text = quotedText(message.parts.map(readable).join("\n"), HEADS);
    const block = `${totalChars === 0 ? "" : SEPARATOR}[${message.role} ${partHandle(message.id, 0)}]\n${text}`;
    const isWanted = totalChars + block.length >= range.startChar && totalChars <= endChar;
    if (isWanted) wantedFromChar ??= totalChars;
    if (isWanted) wanted += block;
    totalChars += block.length;
  }
  const offsetChars = wantedFromChar ?? totalChars;
  const piece = pieceOf(wanted, { ...range, startChar: Math.max(0, range.startChar - offsetChars) });
  return { text: piece.text, startChar: piece.startChar + offsetChars, totalChars };
}

function readable(part: Part): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "tool-call":
      return `${part.toolName} ${part.argumentsJson}`;
    case "image":
      return `[image ${part.mediaType}]`;
    default:
      return part satisfies never;
  }
}
