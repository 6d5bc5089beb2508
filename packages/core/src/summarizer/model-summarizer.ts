import { z } from "zod";
import { isPlimsollError, PlimsollError } from "../error.ts";
import { quotedText } from "../message/framing.ts";
import { type Context, isSummary, type Message, textOf } from "../message/message.ts";
import { coverageOf } from "../message/size.ts";
import { fencedText, type TranscriptLabels, transcriptFraming, transcriptText } from "../message/transcript-text.ts";
import * as option from "../option.ts";
import type { ModelClient, ModelReply, Summarizer, Summary, SummaryRequest } from "../ports.ts";
import { promptOf } from "../prompts/built-in-prompts.ts";
import { SUMMARY_HEADER } from "../prompts/notices.ts";
import { PREFIX_FRAME, SUMMARIZER_ROLE, SUMMARY_RULES } from "../prompts/parts.ts";
import { TURN_CONTEXT_TITLE, TURN_PREFIX_PROMPT } from "../prompts/turn-prefix.ts";
import { UPDATE_PROMPT } from "../prompts/update.ts";
import { addedUsage } from "../usage.ts";
import { isThinking, THINKING_TOKENS, withOlder } from "./chunked.ts";
import { sectionsIn } from "./sections.ts";
import { repairedSummary } from "./usable.ts";

type SummaryPart = SummaryRequest["parts"][number];

/** Which model writes the summaries, and how. */
export interface ModelSummarizerOptions {
  readonly modelId: string;
  /** For a model that reasons: how hard. Absent, the request says nothing of it. */
  readonly reasoning?: "low" | "medium" | "high";
}

/** The room of the second request beside that of the first, if reasoning took all of it. Chosen. */
const MORE_ROOM = 4;

const SUMMARIZER_OPTIONS = option.schema<ModelSummarizerOptions>({
  modelId: option.text,
  reasoning: z.enum(["low", "medium", "high"]).optional(),
});

/**
 * Makes a summariser that asks a model: one request without tools, or two for a split turn, whose answers it joins; if the policy wants the conversation's own prefix,
 * one request with its tools. It checks each answer against the rules and repairs it if possible. Reasoning has room beside the summary; if it takes all of that, the
 * request is repeated once with more. After any other failure the policy's next strategy runs.
 *
 * The returned function rejects with `summary-failed` for an answer that cannot be used, and with the client's own errors.
 */
export function createModelSummarizer(client: ModelClient, options: ModelSummarizerOptions): Summarizer {
  option.check("a summariser", option.schema<{ client: ModelClient }>({ client: option.having("complete") }), { client });
  option.check("a summariser", SUMMARIZER_OPTIONS, options);
  let besideTokens = options.reasoning === undefined ? 0 : THINKING_TOKENS;
  return async (request, signal) => {
    if (request.parts.some(({ messages }) => messages.some(isThinking))) besideTokens ||= THINKING_TOKENS;
    if (request.conversation !== undefined) return await write(prefixQuestion(request, request.conversation), request, signal);
    const { history, turnPrefix } = apart(request);
    const written = history === null ? null : await write(fencedQuestion(history, request), request, signal);
    const prefix = turnPrefix === null ? null : await write(fencedQuestion(turnPrefix, request, true), request, signal);
    const one = written ?? prefix;
    if (one === null) throw new PlimsollError("summary-failed", "there is nothing to summarise");
    if (written === null || prefix === null) return one;
    return { ...withOlder(prefix, written), text: `${written.text}\n\n${TURN_CONTEXT_TITLE}\n\n${prefix.text}` };
  };

  async function write(question: Question, request: SummaryRequest, signal: AbortSignal): Promise<Summary> {
    const { context, covered, sections, prompts, maxTokens } = question;
    const roomTokens = request.replyTokens ?? Number.POSITIVE_INFINITY;
    const reasoning = options.reasoning ?? request.reasoning;
    const asked = {
      context,
      modelId: request.modelId ?? options.modelId,
      ...(reasoning === undefined ? {} : { reasoning }),
      ...(reasoning === undefined || options.reasoning !== undefined ? {} : { isReasoningWished: true }),
    };
    const ask = async (mostTokens: number, leastTokens: number): Promise<ModelReply> => {
      const maxOutputTokens = Math.max(leastTokens, Math.min(Math.floor(mostTokens), roomTokens));
      const thinkingTokens = maxOutputTokens - maxTokens;
      try {
        return await client.complete({ ...asked, maxOutputTokens, ...(thinkingTokens > 0 ? { thinkingTokens } : {}) }, signal);
      } catch (error) {
        // The server's own limit of a reply, or its count of the prompt, is not known before.
        const isRefused = isPlimsollError(error) && (error.code === "context-overflow" || error.details.class === "other");
        if (maxOutputTokens === leastTokens || !isRefused) throw error;
        return await ask(maxOutputTokens / 2, leastTokens);
      }
    };
    const firstTokens = maxTokens + besideTokens;
    const first = await ask(firstTokens, maxTokens);
    signal.throwIfAborted();
    const hasThought = isThinking(first.draft) || (first.usage.output.reasoningTokens ?? 0) > 0;
    // A text that has not come to its first section is thinking without a tag, as far as anybody can see.
    const isUnbegun =
      textOfReply(first) === "" || (sections.length > 0 && sectionsIn(textOfReply(first), sections).found.length === 0);
    const isThought = first.stopReason === "length" && (hasThought || isUnbegun);
    if (isThought) besideTokens ||= THINKING_TOKENS;
    const again = isThought && firstTokens < roomTokens ? await ask(firstTokens * MORE_ROOM, firstTokens + 1) : null;
    const isLong = again?.stopReason === "end" && (again.usage.output.totalTokens ?? 0) > maxTokens + besideTokens;
    if (isLong) besideTokens = firstTokens * MORE_ROOM - maxTokens;
    const reply = again === null ? first : { ...again, usage: addedUsage(first.usage, again.usage) ?? again.usage };
    signal.throwIfAborted();
    const { text, repairs } = repairedSummary(
      { text: textOfReply(reply), usage: reply.usage, stopReason: reply.stopReason },
      {
        sections,
        coveredChars: coverageOf(covered).chars,
        labels: request.labels,
        instructions: [SUMMARIZER_ROLE.text, PREFIX_FRAME.text, ...SUMMARY_RULES],
      },
    );
    return { text, usage: reply.usage, stopReason: "end", prompts, ...(repairs.length === 0 ? {} : { repairs }) };
  }
}

interface Question {
  readonly context: Context;
  readonly prompts: readonly string[];
  readonly covered: readonly Message[];
  readonly sections: readonly string[];
  readonly maxTokens: number;
}

function fencedQuestion(part: SummaryPart, request: SummaryRequest, isTurnPrefix = false): Question {
  const { system, text, promptId, version } = summaryPrompt(part, request, isTurnPrefix);
  return {
    context: { system, tools: [], messages: [requestMessage(text)], dynamicContext: null },
    prompts: [`${promptId}@${version}`],
    covered: part.messages,
    sections: isTurnPrefix ? [] : request.sections,
    maxTokens: isTurnPrefix ? request.turnPrefixMaxTokens : request.maxTokens,
  };
}

/** The conversation's own beginning, word for word, so that the provider's cache of it is read. */
function prefixQuestion(request: SummaryRequest, conversation: Context): Question {
  const { text, promptId, version, sections } = prefixPrompt(request);
  return {
    context: { ...conversation, messages: [...conversation.messages, requestMessage(text)] },
    prompts: [`${PREFIX_FRAME.id}@${PREFIX_FRAME.version}`, `${promptId}@${version}`],
    covered: request.parts.flatMap(({ messages }) => messages),
    sections,
    maxTokens: request.maxTokens,
  };
}

/** The older history and the beginning of a split turn, if that has a prompt of its own; neighbours with one prompt are one part. */
function apart(request: SummaryRequest): { readonly history: SummaryPart | null; readonly turnPrefix: SummaryPart | null } {
  const isPrefix = (part: SummaryPart) => promptOf(part.promptId, request.prompts).isOfTurnPrefix === true;
  const joinedPart = (parts: readonly SummaryPart[]): SummaryPart | null => {
    const [first] = parts;
    return first === undefined ? null : { promptId: first.promptId, messages: parts.flatMap(({ messages }) => messages) };
  };
  const history = joinedPart(request.parts.filter((part) => !isPrefix(part)));
  const turnPrefix = joinedPart(request.parts.filter(isPrefix));
  // The last chunk of a long history may be all turn, with the summary of the messages before it: that is brought up to date as a whole.
  const isWhole = history === null && (turnPrefix?.messages.some(isSummary) ?? false);
  return isWhole ? { history: turnPrefix, turnPrefix: null } : { history, turnPrefix };
}

/** @throws PlimsollError `summary-failed` for a reply that calls a tool, with any text. */
function textOfReply(reply: ModelReply): string {
  if (reply.draft.parts.some((part) => part.type === "tool-call"))
    throw new PlimsollError("summary-failed", "the summary calls a tool");
  const text = reply.draft.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const bare = text.replace(/^\s*([<[\u25c1])([\w:]*think\w*)[>\]\u25b7][\s\S]*?(?:\1\/\2[>\]\u25b7]|$)/i, "");
  // Some chat templates write the opening tag themselves.
  return bare.replace(/^(?![\s\S]*<think>)[\s\S]*?<\/think>\s*?(?:\n|$)/, "").trim();
}

function requestMessage(text: string): Message {
  return { role: "user", id: "summary-request", origin: "injected", parts: [{ type: "text", text }], atMs: null };
}

/** The texts of one request to a model. */
export interface SummaryPrompt {
  readonly promptId: string;
  readonly version: number;
  readonly system: string;
  /** The one user message. */
  readonly text: string;
}

/**
 * The request for one part: the history as fenced data, an earlier summary as data of its own, then the instructions and the rules. If an earlier
 * summary is among the messages, the request is to bring it up to date. The last thing that the model reads is ours, and no message can add a speaker
 * or a fence to it.
 */
export function summaryPrompt(part: SummaryPart, request: SummaryRequest, isTurnPrefix = false): SummaryPrompt {
  const earlier = part.messages.filter(isSummary).map(earlierText);
  const said = part.messages.filter((message) => !isSummary(message));
  const conversation = transcriptText(said, request);
  const prompt = earlier.length > 0 && !isTurnPrefix ? UPDATE_PROMPT : promptOf(part.promptId, request.prompts);
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
  const prompts = request.parts.map((part) => promptOf(part.promptId, request.prompts));
  const { id, version, isOfTurnPrefix, instructions } =
    prompts.find((each) => !each.isOfTurnPrefix) ?? prompts[0] ?? TURN_PREFIX_PROMPT;
  const sections = isOfTurnPrefix ? [] : request.sections;
  const pieces = [PREFIX_FRAME.text, instructions(sections), ...focusPieces(request), rulesText()];
  return { promptId: id, version, sections, text: pieces.join("\n\n") };
}

function focusPieces({ focus, labels }: SummaryRequest): readonly string[] {
  return focus === null
    ? []
    : [`The person asked that the record dwell on this:\n${fencedWithoutSpeakers("focus", focus, labels)}`];
}

/** Outside text that is no history: no line of it may read as a speaker's turn. */
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
