import { characterBoundaryAtOrBefore } from "../text.ts";
import type { Message } from "./message.ts";
import { toolCallsOf } from "./message.ts";

/** What stands before and after a piece of a serialised history. */
export interface TranscriptLabel {
  readonly before: string;
  readonly after: string;
}

/** Labels by who or what speaks, as policy data. A call is written as `name(arguments)`. */
export interface TranscriptLabels {
  readonly human: TranscriptLabel;
  readonly command: TranscriptLabel;
  readonly injected: TranscriptLabel;
  readonly summary: TranscriptLabel;
  readonly assistant: TranscriptLabel;
  readonly call: TranscriptLabel;
  readonly result: TranscriptLabel;
  readonly failedResult: TranscriptLabel;
}

/** How a history is written down. */
export interface TranscriptStyle {
  readonly labels: TranscriptLabels;
  /** Each tool result is cut to this many UTF-16 code units; `null` for no cap. Other texts are never cut. */
  readonly resultCapChars: number | null;
}

/**
 * The messages as text, one labelled piece after the other, parted by blank lines. Reasoning is left out: what it came to is said or done. Images
 * are named, not shown. Linear.
 */
export function transcriptText(messages: readonly Message[], style: TranscriptStyle): string {
  return messages.flatMap((message) => piecesOf(message, style)).join("\n\n");
}

function piecesOf(message: Message, { labels, resultCapChars }: TranscriptStyle): readonly string[] {
  const text = shownText(message);
  switch (message.role) {
    case "user":
      return labelled(text, labels[message.origin === "notice" ? "summary" : message.origin]);
    case "assistant":
      return [
        ...labelled(text, message.origin === "model" ? labels.assistant : labels.summary),
        ...toolCallsOf(message).flatMap((call) => labelled(`${call.toolName}(${call.argumentsJson})`, labels.call)),
      ];
    case "tool-result":
      return labelled(
        capped(text === "" ? "(no output)" : text, resultCapChars),
        message.isError ? labels.failedResult : labels.result,
      );
    default:
      return message satisfies never;
  }
}

function shownText(message: Message): string {
  return message.parts
    .flatMap((part) => {
      if (part.type === "text") return [part.text];
      return part.type === "image" ? ["(image)"] : [];
    })
    .join("\n");
}

function labelled(text: string, { before, after }: TranscriptLabel): readonly string[] {
  return text.trim() === "" ? [] : [`${before}${text}${after}`];
}

function capped(text: string, capChars: number | null): string {
  if (capChars === null || text.length <= capChars) return text;
  const kept = text.slice(0, characterBoundaryAtOrBefore(text, capChars));
  return `${kept}\n[… ${text.length - kept.length} more characters left out]`;
}

/**
 * Text between tags of its own, as data: what looks like the tag's end inside the text is made harmless, so that nothing in it can
 * leave the fence.
 */
export function fencedText(tag: string, text: string): string {
  return `<${tag}>\n${text.split(`</${tag}`).join(`<\\/${tag}`)}\n</${tag}>`;
}
