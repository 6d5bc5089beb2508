import type { EnginePolicy } from "@plimsoll/core/extend";
import type { WindowRequest, WindowSpec } from "./drive/cell.ts";
import type { PartFailure } from "./drive/part-failures.ts";
import type { RowMetrics } from "./metrics/registry.ts";
import type { CacheMiss, CompactionDetail, Composition } from "./metrics/row-metrics.ts";
import type { SessionDescription, SourceNote } from "./open/session-description.ts";
import type { LineageCounts } from "./transcript.ts";

/**
 * The report of a bench run, as plain data: the content of `report.json`, and the only source of tables and the HTML report. It holds no
 * clock and no timing: two runs over the same input give the same bytes.
 */
export interface BenchReport {
  readonly formatVersion: 8;
  readonly plimsollVersion: string;
  readonly referencesVersion: number;
  /** Its part of a run; `null` for a whole one. */
  readonly shard: Shard | null;
  /** All files of the run, including those of other parts, in the order of the sessions. */
  readonly inputs: readonly string[];
  readonly policies: readonly PolicyDescription[];
  readonly windows: readonly WindowRequest[];
  /** The writer of the summaries: `digest`, `recorded`, or a model as `host:id`. */
  readonly summarizer: string;
  readonly sessions: readonly SessionDescription[];
  readonly rows: readonly ReplayRow[];
  readonly skipped: readonly SkippedInput[];
  readonly notes: readonly SourceNote[];
  /** How far the sessions of the whole run share answers, each of which counts once; left out if they share none. */
  readonly lineages?: LineageCounts;
  /** Options of the command that changed nothing, a line each; left out if there are none. */
  readonly withoutEffect?: readonly string[];
}

/** The verdict of a window, as figures: only in the JSON, made from the rows. */
export interface ReportAnswer {
  readonly window: string;
  /** The kind of summaries that the compared policies share; `null` if none of the run pays for a model's summaries. */
  readonly summaries: "by a model" | "without a model" | null;
  readonly sessions: number;
  /** As `sessions`: with fewer there is no answer yet. */
  readonly sessionsNeeded: number;
  /** The policy that the verdict names; `null` if there is none. */
  readonly pick: string | null;
  /** True if the screen says `Use` or `Keep` of the pick: enough sessions, worse than no other, first in most resamples, and a sure saving beside the recorded policy. */
  readonly isRecommended: boolean;
  /** Resamples in which the pick came first again; `null` with too few sessions. */
  readonly firstPercent: number | null;
  /** The sentence that begins the answer on every screen. */
  readonly says: string;
  readonly policies: readonly AnsweredPolicy[];
}

interface AnsweredPolicy {
  readonly policy: string;
  /** Of doing nothing, the geometric mean over sessions. */
  readonly costPercent: number;
  /** The same if each text that was missing when it was first needed were read again, by one more call: an upper bound. */
  readonly rereadPercent: number;
  /** Sessions that cost over 2% more than no compaction. */
  readonly costMoreIn: number;
  readonly usd: number | null;
  /** Of the needs of replies, the mean of the vector; `null` if there are none. */
  readonly heldPercent: number | null;
  readonly heldFarPercent: number | null;
  /** Each measure of the vector; `why` says why there is no figure. */
  readonly measures: readonly { readonly measure: string; readonly percent: number | null; readonly why: string | null }[];
  readonly lostRequests: number;
}

/** Something that a reader must know before any figure: every output has it on its first screen. */
export interface ReportProblem {
  /** A part failed, inputs were left out, a recording does not show something, unlike sessions are in one figure, an option did nothing. */
  readonly kind: "failed" | "left-out" | "not-visible" | "not-read" | "mixed" | "without-effect";
  readonly text: string;
}

/** One of `count` parts of a run; `index` counts from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** A policy's place in a sweep: the policy that was swept (`base`), and the values of its settings by path. */
export interface PolicySweep {
  readonly base: string;
  readonly settings: readonly { readonly path: string; readonly value: number }[];
}

/** A policy of the run: its name and its whole content, so that a report can be replayed. */
interface PolicyDescription {
  readonly name: string;
  readonly policy: EnginePolicy;
  /** For a point of a sweep: the policy that was swept, and its settings in the order of the axes. */
  readonly sweep: PolicySweep | null;
}

/** One session under one policy in one window. `metrics` is `null` if the cell is not applicable; `why` then says why. */
export interface ReplayRow {
  readonly session: string;
  readonly policy: string;
  readonly window: WindowSpec;
  readonly contextWindowTokens: number;
  readonly inputBudgetTokens: number;
  readonly overheadTokens: number;
  readonly why: string | null;
  readonly metrics: RowMetrics | null;
  readonly series: readonly CallPoint[];
  readonly compactions: readonly CompactionDetail[];
  /** Calls whose prompt cache was broken or had expired, in order. */
  readonly cacheMisses: readonly CacheMiss[];
  readonly composition: Composition;
  /** Parts of the policy that failed, and how often; left out if none did. */
  readonly failures?: readonly PartFailure[];
}

/** One call of a replay. Sizes are the size model's, in tokens. */
export interface CallPoint {
  readonly call: number;
  readonly promptTokens: number;
  readonly compactions: number;
  readonly overflowed: boolean;
}

/** An input that was not replayed; `reason` names the fault, the place and the remedy in one line. */
export interface SkippedInput {
  readonly file: string;
  readonly reason: string;
}
