import type { Framing } from "../message/framing.ts";
import { quotedText } from "../message/framing.ts";
import type { PartHandle, SpanHandle } from "../message/handle.ts";
import { handleReadings, partHandle } from "../message/handle.ts";
import type { Part } from "../message/message.ts";
import { characterBoundaryAtOrAfter, characterBoundaryAtOrBefore } from "../text.ts";
import type { LoggedMessages } from "./message-index.ts";

/** Which part of a text is wanted back, in UTF-16 code units. */
export interface RecallRange {
  readonly startChar: number;
  readonly maximumChars: number;
}

/** A piece of what a handle names; `totalChars` tells how much there is. */
export interface Recalled {
  readonly text: string;
  readonly startChar: number;
  readonly totalChars: number;
}

/** Never more than this comes back at once, so that a recall cannot fill the window; chosen. */
export const MAXIMUM_RECALL_CHARS = 16_000;

/**
 * A bounded piece of the original that a handle names: one part that was cleared or shortened, or a span of messages that was dropped
 * or summarised. A span that begins or ends with a summary or notice goes back to what that one covers. Handles that older versions
 * wrote are found too. `null` if the log has no such message or part: nothing but this log is looked at.
 */
export function recall(handle: string, range: RecallRange, log: LoggedMessages): Recalled | null {
  for (const reading of handleReadings(handle)) {
    const text = "messageId" in reading ? partText(log, reading) : spanText(log, reading);
    if (text !== null) return pieceOf(text, range);
  }
  return null;
}

/** The piece of a text that a range asks for, cut on character boundaries and never longer than {@link MAXIMUM_RECALL_CHARS}. */
export function pieceOf(text: string, range: RecallRange): Recalled {
  const start = characterBoundaryAtOrAfter(text, range.startChar);
  const end = characterBoundaryAtOrBefore(text, start + Math.min(range.maximumChars, MAXIMUM_RECALL_CHARS));
  return { text: text.slice(start, Math.max(start, end)), startChar: start, totalChars: text.length };
}

function partText(log: LoggedMessages, { messageId, partIndex }: PartHandle): string | null {
  const part = log.find(messageId)?.parts[partIndex];
  return part === undefined ? null : readable(part);
}

/** Beginnings of the lines that stand over the messages of a span, which no message may forge. */
const HEADS: Framing = { lines: ["[user", "[assistant", "[tool-result"], bracketWords: [], tags: [] };

/** The appended messages of a span as text, each under its role and handle, so that a single one can be asked for next. */
function spanText(log: LoggedMessages, span: SpanHandle): string | null {
  const from = log.placesOf(span.from);
  const through = log.placesOf(span.through);
  if (from === undefined || through === undefined) return null;
  const blocks: string[] = [];
  for (let place = from.first; place <= through.last; place++) {
    const message = log.at(place);
    if (message === undefined) continue;
    const text = quotedText(message.parts.map(readable).join("\n"), HEADS);
    blocks.push(`[${message.role} ${partHandle(message.id, 0)}]\n${text}`);
  }
  return blocks.join("\n\n");
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
