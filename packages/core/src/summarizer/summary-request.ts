import { quotedText } from "../message/framing.ts";
import { type Message, textOf } from "../message/message.ts";
import { fencedText, type TranscriptLabels, transcriptFraming, transcriptText } from "../message/transcript-text.ts";
import type { Prompt, SummaryRequest } from "../ports.ts";
import { BUILT_IN_PROMPTS, promptOf } from "../prompts/built-in-prompts.ts";
import { PREFIX_FRAME, SUMMARIZER_ROLE, SUMMARY_HEADER, SUMMARY_RULES } from "../prompts/parts.ts";
import { TURN_PREFIX_PROMPT } from "../prompts/turn-prefix.ts";
import { UPDATE_PROMPT } from "../prompts/update.ts";

/** The texts of one request to a model. */
export interface SummaryPrompt {
  readonly promptId: string;
  readonly version: number;
  readonly system: string;
  /** The one user message. */
  readonly text: string;
}

/** One part of a summary: messages, and the prompt that they are summarised with. */
export interface SummaryPart {
  readonly promptId: string;
  readonly messages: readonly Message[];
}

/**
 * The request for one part: the history as fenced data, an earlier summary as data of its own, then what is to be written and the rules. If an
 * earlier summary is among the messages, the request is to bring it up to date. The last thing that the model reads is ours, and no message
 * can add a speaker or a fence to it.
 */
export function summaryPrompt(part: SummaryPart, request: SummaryRequest, isTurnPrefix = false): SummaryPrompt {
  const isEarlier = (message: Message) => message.role !== "tool-result" && message.origin === "summary";
  const earlier = part.messages.filter(isEarlier).map(earlierText);
  const conversation = transcriptText(
    part.messages.filter((message) => !isEarlier(message)),
    request,
  );
  const prompt = earlier.length > 0 && !isTurnPrefix ? UPDATE_PROMPT : promptOfPart(part, request);
  const pieces = [
    fencedText("conversation", conversation),
    ...(earlier.length === 0 ? [] : [fencedWithoutSpeakers("previous-summary", earlier.join("\n\n"), request.labels)]),
    prompt.instructions(isTurnPrefix ? [] : request.sections),
    ...focusPieces(request),
    rulesText(),
  ];
  return { promptId: prompt.id, version: prompt.version, system: SUMMARIZER_ROLE.text, text: pieces.join("\n\n") };
}

/**
 * Writes the question behind a conversation that is sent as it is. One prompt serves all parts, that of the older history if there is any, and with it
 * the sections.
 */
export function prefixPrompt(request: SummaryRequest): Omit<SummaryPrompt, "system"> & Pick<SummaryRequest, "sections"> {
  const prompts = request.parts.map((part) => promptOfPart(part, request));
  const { id, version, isOfTurnPrefix, instructions } =
    prompts.find((each) => !each.isOfTurnPrefix) ?? prompts[0] ?? TURN_PREFIX_PROMPT;
  const sections = isOfTurnPrefix ? [] : request.sections;
  const pieces = [PREFIX_FRAME.text, instructions(sections), ...focusPieces(request), rulesText()];
  return { promptId: id, version, sections, text: pieces.join("\n\n") };
}

/**
 * The prompt that a part is written with.
 *
 * @throws PlimsollError `bad-policy` for an id that no prompt has.
 */
export function promptOfPart({ promptId }: SummaryPart, { prompts = BUILT_IN_PROMPTS }: SummaryRequest): Prompt {
  return promptOf(promptId, prompts);
}

function focusPieces({ focus, labels }: SummaryRequest): readonly string[] {
  return focus === null
    ? []
    : [`The person asked that the record dwell on this:\n${fencedWithoutSpeakers("focus", focus, labels)}`];
}

/** Outside text that is no history: no line of it may read as somebody's turn. */
function fencedWithoutSpeakers(tag: string, text: string, labels: TranscriptLabels): string {
  return fencedText(tag, quotedText(text, transcriptFraming(labels)));
}

function rulesText(): string {
  return SUMMARY_RULES.map((rule) => `- ${rule}`).join("\n");
}

/** An earlier summary with its facts, without the header that comes before it in the context. */
function earlierText(message: Message): string {
  const text = textOf(message);
  return (text.startsWith(SUMMARY_HEADER.text) ? text.slice(SUMMARY_HEADER.text.length) : text).trim();
}
