import type { Message, Policy, SessionView } from "@plimsoll/core";
import { sequenceOf } from "@plimsoll/core/extend";
import type { CacheUse } from "@plimsoll/providers";
import type { AnsweredRequest, AskedSummary } from "../drive/replayed-call.ts";
import type { SizeJudge } from "../size-judge/size-judge.ts";

/** Tokens that every summary is charged as its reply, without regard to its digest: recorded summaries have 1,000 to 3,000 tokens. */
export const SUMMARY_REPLY_TOKENS = 2000;
/** Tokens that a summary request has in addition to the history: the prompts of the documented systems have 400 to 900 tokens. Chosen. */
export const SUMMARY_PROMPT_TOKENS = 600;

/** How one request for a summary was served. */
export interface ServedSummary {
  readonly use: CacheUse;
  readonly replyTokens: number;
  /** The model that wrote it; `null` for the session's own. */
  readonly modelId: string | null;
}

/** A summary that a recording has and whose request it does not report, as estimated: all of the prompt before was sent again, from the cache or not. */
export function unreportedSummary(promptTokens: number, kind: "cached" | "anew"): ServedSummary {
  const [readTokens, uncachedTokens] = kind === "cached" ? [promptTokens, 0] : [0, promptTokens];
  const use = { readTokens, writeTokens: 0, uncachedTokens, state: "first" } as const;
  return { use, replyTokens: SUMMARY_REPLY_TOKENS, modelId: null };
}

/** The state in which a summary is asked for. */
export interface SummaryMoment {
  readonly call: number;
  readonly sizeJudge: SizeJudge;
  readonly summary: Policy["summary"];
  /** Tokens in addition to the messages of a request of the session. */
  readonly nonMessageTokens: number;
  /** How a request of the conversation's own messages is served. */
  readonly serve: (promptTokens: number, messages: SessionView["messages"]) => CacheUse;
}

/**
 * How the requests for a summary were served: a model's as its provider reported them, else as they would have been. A serialised history is a new
 * text: nothing of it is cached, and nothing reads it again, so nothing is written. A conversation's own prefix reads the request before from the
 * cache; that holds for a model's, too, since a replay sends it nothing else.
 */
export function servedSummaries({ request, answered }: AskedSummary, moment: SummaryMoment): readonly ServedSummary[] {
  const { conversation, modelId } = request;
  if (answered !== null) {
    return answered.map(({ modelId: writer, usage }) => {
      const use =
        conversation === undefined
          ? reportedUse(usage)
          : moment.serve(usage.inputTokens ?? 0, sequenceOf(conversation.messages));
      return { use, replyTokens: usage.outputTokens ?? 0, modelId: writer };
    });
  }
  const fixed = { replyTokens: SUMMARY_REPLY_TOKENS, modelId: modelId ?? null };
  if (conversation === undefined) return [{ use: serialisedUse(request.parts, moment), ...fixed }];
  const { call, sizeJudge, nonMessageTokens } = moment;
  const promptTokens = conversation.messages.reduce(
    (tokens, message) => tokens + sizeJudge.messageTokens(message, call),
    nonMessageTokens + SUMMARY_PROMPT_TOKENS,
  );
  return [{ use: moment.serve(promptTokens, sequenceOf(conversation.messages)), ...fixed }];
}

function reportedUse({ inputTokens, cacheReadTokens, cacheWriteTokens }: AnsweredRequest["usage"]): CacheUse {
  const readTokens = cacheReadTokens ?? 0;
  const writeTokens = cacheWriteTokens ?? 0;
  const uncachedTokens = Math.max(0, (inputTokens ?? 0) - readTokens - writeTokens);
  return { readTokens, writeTokens, uncachedTokens, state: "first" };
}

function serialisedUse(parts: AskedSummary["request"]["parts"], moment: SummaryMoment): CacheUse {
  const messages = parts.flatMap((part) => part.messages);
  const uncachedTokens = messages.reduce((tokens, message) => tokens + cappedTokens(message, moment), SUMMARY_PROMPT_TOKENS);
  return { readTokens: 0, writeTokens: 0, uncachedTokens: Math.round(uncachedTokens), state: "first" };
}

/** A result counts by the share of its characters that the policy's cap leaves in the request. */
function cappedTokens(message: Message, { call, sizeJudge, summary }: SummaryMoment): number {
  const tokens = sizeJudge.messageTokens(message, call);
  if (message.role !== "tool-result" || summary.resultCapChars === null) return tokens;
  const chars = message.parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
  return chars > summary.resultCapChars ? (tokens * summary.resultCapChars) / chars : tokens;
}
