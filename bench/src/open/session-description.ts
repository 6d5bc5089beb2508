import type { SizeJudgeError } from "../size-judge/held-out.ts";
import type { Outcome, UnreadNames } from "../transcript.ts";

/** A replayed session and the facts in its recording. */
export interface SessionDescription {
  readonly session: string;
  readonly file: string;
  readonly format: string;
  /** The agent's version, as its log states it; `null` if it does not. */
  readonly agentVersion: string | null;
  /** The model's window that the session ran in, in tokens: stated, or the likeliest. */
  readonly ownWindowTokens: number | null;
  readonly parentSession: string | null;
  /** The first session of those that share its beginning, which are one unit; left out if it shares nothing. Calls, tokens and dollars are only its own. */
  readonly lineage?: string;
  /** A hash of the project that its log names; left out if it names none. */
  readonly project?: string;
  /** When it began, in milliseconds since 1970; `null` if its log has no time. */
  readonly startedMs: number | null;
  /** The person's first words, on one line of at most 80 characters; `null` without a word. */
  readonly firstWords: string | null;
  readonly modelIds: readonly string[];
  readonly messages: number;
  readonly calls: number;
  readonly maxReportedPromptTokens: number;
  readonly sumReportedPromptTokens: number;
  readonly recordedBoundaries: number;
  /** Messages that were moved, left out, made up or changed before the replay, because no provider takes them as recorded. */
  readonly repairs: number;
  /** True if the recording reports no usage, so that every size is an estimate. */
  readonly isEstimated: boolean;
  /** US dollars of its reported usage, each call by the list prices of its day or `--prices`; `null` if nothing could be priced. */
  readonly recordedUsd: number | null;
  /** Whether `recordedUsd` covers every call (`whole`); otherwise calls without a reported size or a price are missing. */
  readonly recordedUsdIs: "whole" | "a-part";
  /** Models whose calls have no known price (`fast mode of MODEL` for only that mode); left out if there are none. */
  readonly unpricedModels?: readonly string[];
  /** Left out unless one of its models has a price of the person's own. */
  readonly hasOwnPrices?: true;
  /** US dollars that the recording states for its calls; `null` if it states none. */
  readonly statedCostUsd: number | null;
  /** The outcome of the run; left out if nothing in its recording grades it. */
  readonly outcome?: Outcome;
  /** How long the person waited for compactions whose times are known, in milliseconds; left out if there were none. */
  readonly waitsMs?: readonly number[];
  /** Counts of the things in the recording that measures are made from. */
  readonly seen: SeenCounts | null;
  readonly sizeJudge: SizeJudgeError;
}

/** The cost of sessions: by list prices of the usage that they report, and by the words of their logs. */
export type RecordedDollars = Pick<
  SessionDescription,
  "recordedUsd" | "recordedUsdIs" | "statedCostUsd" | "unpricedModels" | "hasOwnPrices"
>;

/** Counts of the things in a recording that measures are made from. 0 means that the recording shows none, not that there were none. */
export interface SeenCounts {
  readonly toolCalls: number;
  readonly results: number;
  /** Calls that name a file, that quote a text which they replace, and that write a plan. */
  readonly files: number;
  readonly edits: number;
  readonly plans: number;
  /** Calls that are scripts which call tools; left out if none is. */
  readonly scripts?: number;
  /** Replies with reasoning, whether it can be read or not. */
  readonly reasoning: number;
  /** Model calls whose report states the prompt's size; then those that state tokens read from the cache, tokens written to it, and a price. */
  readonly usage: number;
  readonly cacheReads: number;
  readonly cacheWrites: number;
  readonly costs: number;
}

/** Something that an importer met, with where. */
export interface SourceNote {
  readonly file: string;
  readonly line: number | null;
  readonly code: string;
  readonly text: string;
  readonly unread?: UnreadNames;
}
