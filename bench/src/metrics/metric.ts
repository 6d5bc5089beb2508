import type { ModelCatalog } from "@plimsoll/providers";
import type { z } from "zod";
import type { Cell } from "../drive/cell.ts";
import type { ReplayedCall } from "../drive/replayed-call.ts";
import type { SessionCache } from "../economics/recorded-cache.ts";
import type { ServedStep } from "../economics/request-ledger.ts";
import type { HeldReplay } from "../needs/controls.ts";
import type { ContextChanges } from "../needs/needles.ts";
import type { PreparedSession } from "../open/prepared-session.ts";

/**
 * A metric of replays: its measurement, the form of its result in `report.json`, the pooling of several sessions' results, and its columns. Everything that shows or
 * reads metrics is a loop over such values.
 */
export interface Metric<Id extends string = string, Result = unknown, Pooled = unknown, FigureId extends string = string> {
  /** Its field in a row's `metrics`, in camelCase. */
  readonly id: Id;
  /** The form of a result: reports are read by it, and the JSON Schema has it. Only numbers, texts, lists and records. */
  readonly schema: z.ZodType<Result>;
  measure(replay: MeasuredReplay): Recorder<Result>;
  /** Pools the results of sessions, in the order of the report; there may be none. */
  pool(sessions: PooledSessions<Result>): Pooled;
  /** Its displayed figures; none for a metric with its own section or only for programs. */
  readonly figures: Readonly<Record<FigureId, MetricFigure<Pooled>>>;
}

/** Sees each call of a replay once, in order. */
export interface Recorder<Result, Call = MeasuredCall> {
  add(call: Call): void;
  /** A call that counts in another session whose log holds it too: for metrics that depend on earlier calls. */
  follow?(call: Call): void;
  result(): Result;
}

/** One session under one policy in one window, and the shared inputs of several metrics. */
export interface MeasuredReplay {
  readonly session: PreparedSession;
  readonly cell: Cell;
  readonly catalog: ModelCatalog;
  readonly cache: SessionCache;
  /** Has seen each call before a metric does. */
  readonly held: HeldReplay;
  /** True if predictions meet real reports: the recorded requests of a recording with usage. */
  readonly isReported: boolean;
}

/** A call of a replay with its cache use and its reply's usage. */
export interface MeasuredCall extends ReplayedCall {
  readonly served: ServedStep;
  /** Place of the reply among the recorded messages; that of the reply before if this call has none. */
  readonly ordinal: number;
  /** Changes of its context since the last call that was sent and has a reply; `null` for any other call. */
  readonly shown: ContextChanges | null;
}

/** Results to put together. */
export interface PooledSessions<Result> {
  readonly results: readonly Result[];
  /** Model calls of each result's session. */
  readonly calls: readonly number[];
}

/** One figure with its meaning and the places that show it. */
export interface MetricFigure<Pooled> extends MetricMeaning {
  /** `null` if it is not known. A share is in percent. */
  value(pooled: Pooled): number | null;
  readonly format: FigureFormat;
  /** Whether a figure above zero is something that must not happen; it is marked then. */
  readonly isFailure?: true;
  /** At most one column a table. */
  readonly columns: readonly MetricColumn[];
}

/** How a figure is written. */
export type FigureFormat = "count" | "tokens" | "percent" | "usd";

/** A column of a table. */
export interface MetricColumn {
  readonly table: MetricTable;
  /** Columns of one group are adjacent. Its name is their common heading. */
  readonly group: string;
  readonly title: string;
}

/** The tables that show metrics, beside the first one of a report, which is made from the answer: dollars, requests, and the one beside a chart. */
export type MetricTable = "cost" | "requests" | "chart";

/** Places a figure in a table: `group` is the heading that neighbouring columns share, `title` the column's own. */
export function inTable(table: MetricTable, group: string, title: string): MetricColumn {
  return { table, group, title };
}

/** The meaning of a figure, so that a reader need not guess: every column of a report has one. */
export interface MetricMeaning {
  readonly unit: string;
  /** Which way is good; `neither` for facts about the input and figures that are no goal in themselves. */
  readonly better: "lower" | "higher" | "neither";
  readonly method: string;
  /** The limits of the figure: facts that it does not show. */
  readonly caveat: string;
}
