import type { SessionEntry } from "../entry.ts";
import { isHuman } from "../message/message.ts";
import { isOfOtherUnit } from "../session/session-state.ts";
import { isRejectedUsage } from "../usage.ts";

/** A fact in a log about a model's window: a size that the provider refused or answered, or a smaller try that was undone. */
export type LimitEvent = RefusedSize | AnsweredSize | UndoneSize;

/** A request was refused as too long, and the session compacted. Sizes are what was expected, in tokens. */
interface RefusedSize {
  readonly kind: "refused";
  readonly modelId: string | null;
  /** The limit that the provider named; `null` if it named none. */
  readonly limitTokens: number | null;
  readonly expectedTokens: number;
  /** Expected tokens of the context after the compaction. */
  readonly afterTokens: number;
  readonly atMs: number | null;
}

/** Less was sent after a refusal, and did not help: it was undone. */
interface UndoneSize {
  readonly kind: "undone";
  readonly modelId: string | null;
  /** Expected tokens of the smaller request. */
  readonly afterTokens: number;
  /** True if the person said something since: the next request is another one. */
  readonly isPast: boolean;
}

/** A request was answered, whose prompt measured so much. */
interface AnsweredSize {
  readonly kind: "answered";
  readonly modelId: string;
  readonly promptTokens: number;
}

/**
 * The events of a log after one more entry. Of answers that follow each other the first stays, which measures what was expected, and the
 * largest: there are at most three events for each refusal.
 */
export function foldLimitEvents(events: readonly LimitEvent[], entry: SessionEntry): readonly LimitEvent[] {
  if (entry.type === "compaction") {
    const { reason, modelId, tokensBefore, tokensAfter, observedLimitTokens = null } = entry.record;
    if (reason !== "overflow" || tokensBefore === null || tokensAfter === null || isOfOtherUnit(entry.record.steps))
      return events;
    const refused = {
      modelId,
      limitTokens: observedLimitTokens,
      expectedTokens: tokensBefore,
      afterTokens: tokensAfter,
      atMs: entry.atMs,
    };
    return [...events, { kind: "refused", ...refused }];
  }
  // Less did not help, or a person undid it: nothing was learned.
  const last = events.at(-1);
  if (entry.type === "revert" && last?.kind === "refused")
    return [...events.slice(0, -1), { kind: "undone", modelId: last.modelId, afterTokens: last.afterTokens, isPast: false }];
  if (entry.type === "message" && last?.kind === "undone") {
    // A reply came without a report: what was refused was refused for the moment.
    if (entry.message.role === "assistant") return events.slice(0, events.findLastIndex(({ kind }) => kind !== "undone") + 1);
    return isHuman(entry.message) ? [...events.slice(0, -1), { ...last, isPast: true }] : events;
  }
  if (entry.type !== "usage" || isRejectedUsage(entry.usage)) return events;
  const promptTokens = entry.usage.input.totalTokens ?? 0;
  const { modelId } = entry;
  const before = events.at(-2);
  if (last?.kind !== "answered" || last.modelId !== modelId || before?.kind !== "answered" || before.modelId !== modelId)
    return [...events, { kind: "answered", modelId, promptTokens }];
  return promptTokens <= last.promptTokens ? events : [...events.slice(0, -1), { kind: "answered", modelId, promptTokens }];
}
