import { PlimsollError } from "../error.ts";
import { partHandle } from "../message/handle.ts";
import type { Message } from "../message/message.ts";
import { messageChars } from "../message/size.ts";
import { transcriptText } from "../message/transcript-text.ts";
import type { Summarizer, Summary, SummaryRequest } from "../ports.ts";
import { BUILT_IN_PROMPTS } from "../prompts/built-in-prompts.ts";
import { endsOf, omittedText, summaryText } from "../prompts/notices.ts";
import { PREFIX_FRAME, SUMMARIZER_ROLE, SUMMARY_RULES } from "../prompts/parts.ts";
import { UPDATE_PROMPT } from "../prompts/update.ts";
import { addedUsage } from "../usage.ts";
import { usableSummary } from "./usable.ts";

/** The size of one request, and the price of messages. */
export interface ChunkLimits {
  /** Tokens of history that one request may hold. */
  readonly historyTokens: number;
  /** The window of the model that writes, and the price of a text; absent if they are not known. */
  readonly windowTokens?: number;
  readonly textTokens?: (text: string) => number;
  /** Tokens that a conversation sends before its messages; they count if the request is its prefix. */
  readonly overheadTokens: number;
  readonly messageTokens: (message: Message) => number;
}

/**
 * A summariser whose requests always fit: a history that is too long is summarised in chunks, each with the summary so far before
 * it; a message that is too long for any chunk is shortened head and tail first. One request if everything fits. A conversation whose
 * prefix does not fit is serialised.
 */
export function chunkedSummarizer(summarizer: Summarizer, given: ChunkLimits): Summarizer {
  return async (asked, signal) => {
    const { conversation, parts } = asked;
    const beside = besidePrompt(asked, given);
    // A model that reasons has room for it beside the history, if at least half of that stays.
    const left = Math.max(beside.historyTokens - THINKING_TOKENS, beside.historyTokens / 2);
    const limits = parts.some(({ messages }) => messages.some(isThinking)) ? { ...beside, historyTokens: left } : beside;
    if (conversation !== undefined && tokensOf(conversation.messages, limits) + limits.overheadTokens <= limits.historyTokens) {
      const request = withRoom(asked, conversation.messages, limits);
      return usableSummary(await summarizer(request, signal), request);
    }
    const request = conversation === undefined ? asked : serialised(asked);
    let summary: Summary | null = null;
    for (const chunk of chunksOf(asked, limits)) {
      const parts: SummaryRequest["parts"] = summary === null ? chunk : withEarlier(chunk, summary, limits);
      const said = parts.flatMap(({ messages }) => messages);
      const asking = withRoom({ ...request, parts }, said, { ...limits, overheadTokens: 0 });
      const next: Summary = usableSummary(await summarizer(asking, signal), asking);
      signal.throwIfAborted();
      summary = summary === null ? next : withOlder(next, summary);
    }
    if (summary === null) throw new PlimsollError("summary-failed", "there is nothing to summarise");
    return summary;
  };
}

/** Prompt, framing and sections of a summary request, in tokens; the longest built-in prompt has some 900. */
export const PROMPT_TOKENS = 1500;

/** Less history is not worth a request; chosen. */
const LEAST_HISTORY_TOKENS = 300;

/** The limits for history and answer, beside the prompt. In a window too small for the usual reserve, prompt and labels are measured. */
function besidePrompt(request: SummaryRequest, limits: ChunkLimits): ChunkLimits {
  const { windowTokens, textTokens } = limits;
  if (windowTokens === undefined || textTokens === undefined) return limits;
  const { parts, prompts = BUILT_IN_PROMPTS, sections, focus } = request;
  const tasks = [UPDATE_PROMPT, ...prompts.filter(({ id }) => parts.some(({ promptId }) => promptId === id))];
  const framing = [SUMMARIZER_ROLE.text, PREFIX_FRAME.text, ...SUMMARY_RULES, focus ?? ""].join("\n");
  const promptTokens = Math.max(...tasks.map((each) => textTokens(each.instructions(sections)))) + textTokens(framing);
  const roomTokens = windowTokens - promptTokens - Math.max(request.maxTokens, request.turnPrefixMaxTokens);
  const historyTokens = Math.min(roomTokens, Math.max(PROMPT_TOKENS, limits.historyTokens));
  if (historyTokens < LEAST_HISTORY_TOKENS)
    throw new PlimsollError("summary-failed", `a window of ${windowTokens} tokens has no room for a summary's request`);
  const labelled = (each: Message) => Math.max(limits.messageTokens(each), textTokens(transcriptText([each], request)) + 1);
  const messageTokens = limits.historyTokens < historyTokens ? labelled : limits.messageTokens;
  return { ...limits, historyTokens, messageTokens, windowTokens: windowTokens - Math.max(PROMPT_TOKENS, promptTokens) };
}

/** Tokens for reasoning beside a summary's own, of a model that reasons. Chosen: most summaries and this come to 8,192, which any server takes. */
export const THINKING_TOKENS = 4096;

/** True for a message that shows its model's reasoning. */
export function isThinking({ parts }: Pick<Message, "parts">): boolean {
  return parts.some(({ type }) => type === "reasoning");
}

function withRoom(request: SummaryRequest, messages: readonly Message[], limits: ChunkLimits): SummaryRequest {
  const { windowTokens, overheadTokens } = limits;
  if (windowTokens === undefined) return request;
  return { ...request, replyTokens: Math.max(0, Math.floor(windowTokens - overheadTokens - tokensOf(messages, limits))) };
}

/** The request without its conversation. One that has none is left unchanged: an object made by leaving out has a form of its own, and is slow to read. */
function serialised({ conversation: _, ...request }: SummaryRequest): SummaryRequest {
  return request;
}

/** The newer summary, with the usage, prompts and repairs of both. */
export function withOlder(newer: Summary, older: Summary): Summary {
  const repairs = [...(older.repairs ?? []), ...(newer.repairs ?? [])];
  const prompts = [...(older.prompts ?? []), ...(newer.prompts ?? [])];
  return {
    ...newer,
    usage: addedUsage(older.usage, newer.usage),
    ...(prompts.length === 0 ? {} : { prompts }),
    ...(repairs.length === 0 ? {} : { repairs }),
  };
}

type Parts = SummaryRequest["parts"];

/** A fifth of a chunk is left for the summary so far. Chosen: summaries are far shorter than their covered messages. */
const EARLIER_SUMMARY_RATIO = 0.2;

function chunksOf(request: SummaryRequest, limits: ChunkLimits): readonly Parts[] {
  const whole = request.parts.flatMap((part) => part.messages);
  if (tokensOf(whole, limits) <= limits.historyTokens) return [request.parts];
  const roomTokens = limits.historyTokens * (1 - EARLIER_SUMMARY_RATIO);
  const chunks: { promptId: string; messages: Message[] }[][] = [[]];
  let usedTokens = 0;
  for (const part of request.parts) {
    for (const message of part.messages) {
      const short = fitted(message, roomTokens, limits);
      const tokens = limits.messageTokens(short);
      if (usedTokens > 0 && usedTokens + tokens > roomTokens) {
        chunks.push([]);
        usedTokens = 0;
      }
      usedTokens += tokens;
      const chunk = chunks.at(-1) ?? [];
      const last = chunk.at(-1);
      if (last?.promptId === part.promptId) last.messages.push(short);
      else chunk.push({ promptId: part.promptId, messages: [short] });
    }
  }
  return chunks;
}

function tokensOf(messages: readonly Message[], { messageTokens }: ChunkLimits): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

function withEarlier(chunk: Parts, summary: Summary, limits: ChunkLimits): Parts {
  const text = summaryText(summary.text);
  const whole: Message = { role: "user", id: "summary-so-far", origin: "summary", parts: [{ type: "text", text }], atMs: null };
  // A summary may come back longer than it was asked for; then it is shortened like any other message.
  const earlier = fitted(whole, limits.historyTokens * EARLIER_SUMMARY_RATIO, limits);
  return chunk.map((part, index) => (index === 0 ? { ...part, messages: [earlier, ...part.messages] } : part));
}

/** Below this share of its texts a message says as much as the line that counts them; chosen. */
const LEAST_KEPT_RATIO = 0.005;

/** The message with its texts cut to head and tail if it is too long. Tokens a character differ within a text, so each cut is measured again. */
function fitted(message: Message, roomTokens: number, limits: ChunkLimits): Message {
  const tokens = limits.messageTokens(message);
  if (tokens <= roomTokens) return message;
  for (let keptRatio = (roomTokens / tokens) * 0.9; keptRatio > LEAST_KEPT_RATIO; keptRatio *= 0.8) {
    const candidate = shortened(message, keptRatio);
    if (limits.messageTokens(candidate) <= roomTokens) return candidate;
  }
  const text = omittedText(messageChars(message), partHandle(message.id, 0));
  return { ...message, parts: [{ type: "text", text }] };
}

/** The message with each of its texts cut to that share of it, half from its head and half from its tail; images are left out. */
function shortened(message: Message, keptRatio: number): Message {
  const cut = (text: string) => {
    const short = endsOf(text, text.length * keptRatio, partHandle(message.id, 0));
    return short.length < text.length ? short : text;
  };
  if (message.role !== "assistant") {
    const parts = message.parts.flatMap((part) => (part.type === "text" ? [{ ...part, text: cut(part.text) }] : []));
    return { ...message, parts };
  }
  const parts = message.parts.map((part) => {
    if (part.type === "text" || part.type === "reasoning") return { ...part, text: cut(part.text) };
    return { ...part, argumentsJson: cut(part.argumentsJson) };
  });
  return { ...message, parts };
}
