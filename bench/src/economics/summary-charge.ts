import type { CacheUse, Message, Policy } from "@plimsoll/core";
import { type CacheRequest, type CacheRules, cacheUse } from "@plimsoll/core";
import type { AnsweredRequest, AskedSummary } from "../replay/replayed-call.ts";
import type { SizeModel } from "../size-model.ts";
import type { SharedPrefix } from "./shared-prefix.ts";

/** What every summary is charged as its reply, whatever its digest: recorded summaries have 1,000 to 3,000 tokens. */
export const SUMMARY_REPLY_TOKENS = 2000;
/** What a summary request says besides the history: the prompts of the documented systems have 400 to 900 tokens. Chosen. */
export const SUMMARY_PROMPT_TOKENS = 600;

/** How one request for a summary was served. */
export interface ServedSummary {
  readonly use: CacheUse;
  readonly replyTokens: number;
  /** The model that wrote it; `null` for the session's own. */
  readonly modelId: string | null;
}

/** The state in which a summary is asked for. */
export interface SummaryMoment {
  readonly call: number;
  readonly sizeModel: SizeModel;
  readonly summary: Policy["summary"];
  /** Tokens beside the messages of a request of the session. */
  readonly accountTokens: number;
  /** What a conversation shares with the request before; `null` where there was none. */
  readonly reuse: (messages: readonly Message[]) => (SharedPrefix & { readonly idleMs: number | null }) | null;
  readonly warmBaseTokens: number;
  readonly rules: CacheRules;
}

/**
 * How the requests for a summary were served: as the model's usage says where one was asked, else as they would have been. A serialised
 * history is a new text: nothing of it is cached, and nothing reads it again, so nothing is written. A conversation's own
 * prefix reads what the request before left in the cache.
 */
export function servedSummaries({ request, answered }: AskedSummary, moment: SummaryMoment): readonly ServedSummary[] {
  if (answered !== null) return answered.map(servedAsAnswered);
  const { conversation, modelId } = request;
  const fixed = { replyTokens: SUMMARY_REPLY_TOKENS, modelId: modelId ?? null };
  if (conversation === undefined) return [{ ...fixed, use: serialisedUse(request.parts, moment) }];
  const { call, sizeModel, rules, warmBaseTokens, accountTokens } = moment;
  const promptTokens = conversation.messages.reduce(
    (tokens, message) => tokens + sizeModel.messageTokens(message, call),
    accountTokens + SUMMARY_PROMPT_TOKENS,
  );
  const cached: CacheRequest = { promptTokens, previous: moment.reuse(conversation.messages), warmBaseTokens };
  return [{ ...fixed, use: cacheUse(cached, rules) }];
}

function servedAsAnswered({ modelId, usage: { input, output } }: AnsweredRequest): ServedSummary {
  const readTokens = input.cacheReadTokens ?? 0;
  const writeTokens = input.cacheWriteTokens ?? 0;
  const uncachedTokens = Math.max(0, (input.totalTokens ?? 0) - readTokens - writeTokens);
  return { use: { readTokens, writeTokens, uncachedTokens, state: "first" }, replyTokens: output.totalTokens ?? 0, modelId };
}

function serialisedUse(parts: AskedSummary["request"]["parts"], moment: SummaryMoment): CacheUse {
  const messages = parts.flatMap((part) => part.messages);
  const uncachedTokens = messages.reduce((tokens, message) => tokens + cappedTokens(message, moment), SUMMARY_PROMPT_TOKENS);
  return { readTokens: 0, writeTokens: 0, uncachedTokens: Math.round(uncachedTokens), state: "first" };
}

/** A result counts by the share of its characters that the policy's cap lets into the request. */
function cappedTokens(message: Message, { call, sizeModel, summary }: SummaryMoment): number {
  const tokens = sizeModel.messageTokens(message, call);
  if (message.role !== "tool-result" || summary.resultCapChars === null) return tokens;
  const chars = message.parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
  return chars > summary.resultCapChars ? (tokens * summary.resultCapChars) / chars : tokens;
}
