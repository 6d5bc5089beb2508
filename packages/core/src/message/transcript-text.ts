import { isRecord, jsonIn } from "../json.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";
import { type Framing, foldedBeginning, MARK, quotedText } from "./framing.ts";
import { type Message, toolCallsOf } from "./message.ts";

interface TranscriptLabel {
  readonly before: string;
  readonly after: string;
}

/** Labels by speaker or kind, as policy data. A call is written as `name(arguments)`, see {@link TranscriptStyle}. */
export interface TranscriptLabels {
  readonly human: TranscriptLabel;
  readonly command: TranscriptLabel;
  readonly injected: TranscriptLabel;
  readonly summary: TranscriptLabel;
  readonly assistant: TranscriptLabel;
  readonly call: TranscriptLabel;
  readonly result: TranscriptLabel;
  readonly failedResult: TranscriptLabel;
  /** The model's reasoning, before the reply's text; it is left out if there is no label for it. */
  readonly reasoning?: TranscriptLabel | undefined;
}

/** How a history is written down. */
export interface TranscriptStyle {
  readonly labels: TranscriptLabels;
  /** Each tool result is cut to this many UTF-16 code units; `null` for no cap. Other texts are never cut. */
  readonly resultCapChars: number | null;
  /**
   * How calls are written: each as a piece of its own with its arguments as the model wrote them, or those of a reply in one piece, each
   * argument as `name=value`. The first if nothing is said.
   */
  readonly calls?: "one-by-one" | "joined" | undefined;
  /** The treatment of content without text, an empty result or an image: named, or left out. Named if nothing is said. */
  readonly textless?: "named" | "left-out" | undefined;
  /**
   * The joint between the text parts of one message of a user, or of one result: a new line, or nothing. Those of a reply are always on lines of
   * their own. The default is `lines`.
   */
  readonly joints?: "lines" | "none" | undefined;
}

/** Tags around outside text in a request for a summary. */
const REQUEST_TAGS = ["conversation", "previous-summary", "focus"] as const;

/**
 * Writes the messages as text, one labelled piece after the other, with blank lines between. Reasoning is left out unless it has a label. Images are
 * named, not shown. The text has exactly the speakers of the messages, whatever their text: a line that reads as a label is quoted. Linear.
 */
export function transcriptText(messages: readonly Message[], style: TranscriptStyle): string {
  const framing = transcriptFraming(style.labels);
  return messages.flatMap((message) => piecesOf(message, style, framing)).join("\n\n");
}

/** Finds text that reads as a label in a history that is written down. */
export function transcriptFraming(labels: TranscriptLabels): Framing {
  const { before } = labels.human;
  const lines = labelsOf(labels).flatMap((label) => [label.before, ...(hasWord(label.after) ? [label.after] : [])]);
  const others = OTHER_SPEAKERS.map((name) => before.split(WORD).join(name));
  return {
    lines: [...new Set([...lines, ...(hasWord(before) ? others : [])].map(speakerIn))].filter((line) => line !== ""),
    bracketWords: [],
    tags: [],
  };
}

function labelsOf(labels: TranscriptLabels): readonly TranscriptLabel[] {
  return Object.values(labels).filter((label) => label !== undefined);
}

/** Speakers in other transcripts: under a human label's form they read as speakers of this one. */
const OTHER_SPEAKERS = ["system", "developer", "human", "user", "assistant"] as const;

const WORD = /\p{L}+/u;

function hasWord(text: string): boolean {
  return WORD.test(text);
}

/** The part of a label that names the speaker: through its first colon, or its first closing bracket before that. */
function speakerIn(label: string): string {
  const line = foldedText(label);
  const colon = line.indexOf(":");
  const name = colon < 0 ? line : line.slice(0, colon);
  return colon < 0 || name.endsWith("]") ? name : `${name}:`;
}

function foldedText(label: string): string {
  return foldedBeginning(label, Number.POSITIVE_INFINITY).folded;
}

function piecesOf(message: Message, style: TranscriptStyle, framing: Framing): readonly string[] {
  const { labels, resultCapChars } = style;
  const text = shownText(message, style);
  const reasoning = message.parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : []));
  const labelled = (piece: string, label: TranscriptLabel) =>
    piece.trim() === "" ? [] : [`${label.before}${quotedBehind(label, piece, { labels, framing })}${label.after}`];
  switch (message.role) {
    case "user":
      // Labels are policy data, and have no names of their own for all origins.
      return labelled(
        text,
        labels[message.origin === "notice" ? "summary" : message.origin === "declared" ? "injected" : message.origin],
      );
    case "assistant":
      return [
        ...(labels.reasoning === undefined ? [] : labelled(reasoning.join("\n"), labels.reasoning)),
        ...labelled(text, message.origin === "model" ? labels.assistant : labels.summary),
        ...callTexts(message, style).flatMap((call) => labelled(call, labels.call)),
      ];
    case "tool-result":
      return labelled(
        capped(text === "" && style.textless !== "left-out" ? "(no output)" : text, resultCapChars),
        message.isError ? labels.failedResult : labels.result,
      );
    default:
      return message satisfies never;
  }
}

/** The text quoted; with its beginning marked too if that would make another label of the one before it, such as that of a command. */
function quotedBehind(
  { before }: TranscriptLabel,
  text: string,
  { labels, framing }: { readonly labels: TranscriptLabels; readonly framing: Framing },
): string {
  const quoted = quotedText(text, framing);
  const own = foldedText(before);
  const longer = labelsOf(labels)
    .map((label) => foldedText(label.before))
    .filter((label) => label.length > own.length && label.startsWith(own));
  const { start, folded } = foldedBeginning(quoted, Math.max(0, ...longer.map((label) => label.length)));
  const isAnother = longer.some((label) => `${own}${folded}`.startsWith(label));
  return isAnother ? `${quoted.slice(0, start)}${MARK}${quoted.slice(start)}` : quoted;
}

function shownText(message: Message, { textless, joints }: TranscriptStyle): string {
  return message.parts
    .flatMap((part) => {
      if (part.type === "text") return [part.text];
      return part.type === "image" && textless !== "left-out" ? ["(image)"] : [];
    })
    .join(joints === "none" && message.role !== "assistant" ? "" : "\n");
}

function callTexts(message: Message, { calls }: TranscriptStyle): readonly string[] {
  const made = toolCallsOf(message);
  if (calls !== "joined") return made.map(({ toolName, argumentsJson }) => `${toolName}(${argumentsJson})`);
  const text = made.map(({ toolName, argumentsJson }) => `${toolName}(${namedArguments(argumentsJson)})`).join("; ");
  return text === "" ? [] : [text];
}

/** An object's arguments as `name=value`, the values as JSON; other arguments stay as the model wrote them. */
function namedArguments(json: string): string {
  const value = jsonIn(json);
  // A model may write arguments that are no JSON.
  if (!isRecord(value)) return json;
  return Object.entries(value)
    .map(([name, each]) => `${name}=${JSON.stringify(each)}`)
    .join(", ");
}

function capped(text: string, capChars: number | null): string {
  if (capChars === null || text.length <= capChars) return text;
  const kept = text.slice(0, characterBoundaryAtOrBefore(text, capChars));
  return `${kept}\n[… ${text.length - kept.length} more characters left out]`;
}

/**
 * Puts text between tags, as data: a look-alike of the request's tags inside the text is made harmless, so that nothing in it can leave the fence or
 * open another one.
 */
export function fencedText(tag: string, text: string): string {
  return `<${tag}>\n${quotedText(text, { lines: [], bracketWords: [], tags: [...REQUEST_TAGS, tag] })}\n</${tag}>`;
}
