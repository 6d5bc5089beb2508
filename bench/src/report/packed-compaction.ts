import type { CompactionDetail } from "../results.ts";
import type { DetailLevel } from "./detail-level.ts";
import type { TextTable } from "./text-table.ts";

/** One compaction; texts by number, `-1` for none, calls from 1. */
export interface PackedCompaction {
  readonly call: number;
  readonly reason: number;
  readonly steps: readonly number[];
  /** Before and after; `null` where the policy had no measure. */
  readonly tokens: readonly [number | null, number | null];
  readonly messages: readonly [number, number];
  /** Messages summarised, messages dropped, parts shortened. */
  readonly done: readonly [number, number, number];
  readonly summary: number;
  readonly neededLater: number;
  /** A call and a text for each. */
  readonly examples: readonly (readonly [number, number])[];
}

/** Packs a compaction, with as much of its texts as the level lets. */
export function packCompaction(detail: CompactionDetail, level: DetailLevel, place: TextTable["place"]): PackedCompaction {
  const { tokensBefore, tokensAfter, summary } = detail;
  const rounded = (tokens: number | null) => (tokens === null ? null : Math.round(tokens));
  return {
    call: detail.call + 1,
    reason: place(detail.reason),
    steps: detail.steps.map(place),
    tokens: [rounded(tokensBefore), rounded(tokensAfter)],
    messages: [detail.messagesBefore, detail.messagesAfter],
    done: [detail.summarisedMessages, detail.droppedMessages, detail.shortenedParts],
    summary: summary === null || level.summaryChars === 0 ? -1 : place(summary.slice(0, level.summaryChars)),
    neededLater: detail.neededLater,
    examples: detail.examples.slice(0, level.examples).map(({ call, text }) => [call + 1, place(text)]),
  };
}
