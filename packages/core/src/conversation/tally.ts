import type { SessionEntry } from "../entry.ts";
import { type Message, toolCallsOf } from "../message/message.ts";
import { messageChars } from "../message/size.ts";
import { isRejectedUsage, type Usage } from "../usage.ts";
import { foldLimitEvents, type LimitEvent } from "./learned-limit.ts";

/** Usage of a session by its providers, with summaries that a model wrote; without rejected requests, and without figures that were not reported. */
export interface UsageTotals {
  readonly requests: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly compactions: number;
}

/** Nothing used. */
const NO_USAGE: UsageTotals = {
  requests: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  compactions: 0,
};

/** The totals after one more entry of the log. */
function foldTotals(totals: UsageTotals, entry: SessionEntry): UsageTotals {
  if (entry.type === "usage") return isRejectedUsage(entry.usage) ? totals : withUsage(totals, entry.usage);
  if (entry.type !== "compaction") return totals;
  let next: UsageTotals = { ...totals, compactions: totals.compactions + 1 };
  for (const edit of entry.edits) {
    if (edit.kind === "replace-spans" && edit.usage !== null) next = withUsage(next, edit.usage);
  }
  return next;
}

function withUsage(totals: UsageTotals, usage: Usage): UsageTotals {
  return {
    requests: totals.requests + 1,
    inputTokens: totals.inputTokens + (usage.input.totalTokens ?? 0),
    cacheReadTokens: totals.cacheReadTokens + (usage.input.cacheReadTokens ?? 0),
    cacheWriteTokens: totals.cacheWriteTokens + (usage.input.cacheWriteTokens ?? 0),
    outputTokens: totals.outputTokens + (usage.output.totalTokens ?? 0),
    compactions: totals.compactions,
  };
}

/** Counts and facts over a whole log, kept entry by entry. It holds ids and numbers, no text. */
export interface Tally {
  add(entry: SessionEntry): void;
  /** Ids of the messages that were appended, in order. */
  messageIds(): readonly string[];
  hasCall(callId: string): boolean;
  totals(): UsageTotals;
  /** Returns the log's facts about models' windows. */
  limitEvents(): readonly LimitEvent[];
  /** Characters of all messages that were appended, with the bytes of their images. */
  sizeChars(): number;
}

/** The tally of an empty log. */
export function createTally(): Tally {
  const messageIds: string[] = [];
  const callIds = new Set<string>();
  let totals = NO_USAGE;
  let limitEvents: readonly LimitEvent[] = [];
  let sizeChars = 0;
  return {
    add: (entry) => {
      if (entry.type !== "message") {
        totals = foldTotals(totals, entry);
        limitEvents = foldLimitEvents(limitEvents, entry);
        return;
      }
      messageIds.push(entry.message.id);
      sizeChars += messageChars(entry.message) + imageChars(entry.message);
      for (const call of toolCallsOf(entry.message)) callIds.add(call.callId);
    },
    messageIds: () => messageIds,
    hasCall: (callId) => callIds.has(callId),
    totals: () => totals,
    limitEvents: () => limitEvents,
    sizeChars: () => sizeChars,
  };
}

/** Characters of the images whose bytes are in the message. */
function imageChars({ parts }: Message): number {
  let chars = 0;
  for (const part of parts) if (part.type === "image" && part.source.kind === "base64") chars += part.source.data.length;
  return chars;
}
