import type { CacheUse, Message, Policy } from "@plimsoll/core";
import type { AskedSummary } from "../replay/replayed-call.ts";
import type { SizeModel } from "../size-model.ts";

/** What every summary is charged as its reply, whatever its digest: recorded summaries have 1,000 to 3,000 tokens. */
export const SUMMARY_REPLY_TOKENS = 2000;
/** What a summary request says besides the history: the prompts of the documented systems have 400 to 900 tokens. Chosen. */
export const SUMMARY_PROMPT_TOKENS = 600;

/** The state in which a summary is asked for. */
export interface SummaryMoment {
  readonly call: number;
  readonly sizeModel: SizeModel;
  readonly summary: Policy["summary"];
}

/**
 * How the request for a summary would have been served. A serialised history is a new text: nothing of it is cached, and nothing
 * reads it again, so nothing is written.
 */
export function summaryUse({ request }: AskedSummary, moment: SummaryMoment): CacheUse {
  const messages = request.parts.flatMap((part) => part.messages);
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
