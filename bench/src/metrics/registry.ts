import { option } from "@plimsoll/core/extend";
import { z } from "zod";
import { CACHE_VALIDITY } from "./cache-validity.ts";
import { COST } from "./cost.ts";
import { DOLLAR_VALIDITY } from "./dollar-validity.ts";
import { ECONOMY } from "./economy.ts";
import { FIRST_MISSES } from "./first-misses.ts";
import { FILE_IN_HAND, INSTRUCTIONS, PASSAGES, PLAN, REPLACED_TEXTS } from "./held-metrics.ts";
import type { Metric } from "./metric.ts";
import { SAFETY } from "./safety.ts";
import { SUMMARIES } from "./summary-writers.ts";

type BuiltinMetrics = readonly [
  typeof SAFETY,
  typeof ECONOMY,
  typeof COST,
  typeof SUMMARIES,
  typeof DOLLAR_VALIDITY,
  typeof CACHE_VALIDITY,
  typeof REPLACED_TEXTS,
  typeof PASSAGES,
  typeof FILE_IN_HAND,
  typeof INSTRUCTIONS,
  typeof PLAN,
  typeof FIRST_MISSES,
];

/** The metrics of every run, in the order in which a row of `report.json` has them. */
export const METRICS: BuiltinMetrics = [
  SAFETY,
  ECONOMY,
  COST,
  SUMMARIES,
  DOLLAR_VALIDITY,
  CACHE_VALIDITY,
  REPLACED_TEXTS,
  PASSAGES,
  FILE_IN_HAND,
  INSTRUCTIONS,
  PLAN,
  FIRST_MISSES,
];

/** True for a metric of every run. */
export function isBuiltIn({ id }: { readonly id: string }): boolean {
  return METRICS.some((metric) => metric.id === id);
}

/** The metrics of a run: those of every run, and any others behind them, each with an id of its own. */
export type RunMetrics = readonly [...BuiltinMetrics, ...Metric[]];

/** The results of one replay by metric. Metrics that were handed to the run add theirs under their ids. */
export type RowMetrics = {
  readonly [M in BuiltinMetrics[number] as M["id"]]: M extends Metric<string, infer Result, infer _, string> ? Result : never;
};

/** The results of several sessions, by metric. */
export type PooledMetrics = {
  readonly [M in BuiltinMetrics[number] as M["id"]]: M extends Metric<string, infer _, infer Pooled, string> ? Pooled : never;
};

/** The results of one replay, by metric. */
export function rowOf(metrics: RunMetrics, resultOf: (metric: Metric, place: number) => unknown): RowMetrics;
export function rowOf(metrics: readonly Metric[], resultOf: (metric: Metric, place: number) => unknown): unknown {
  return Object.fromEntries(metrics.map((metric, place) => [metric.id, resultOf(metric, place)]));
}

/** Pools the rows of one policy, by metric. */
export function pooledOf(metrics: RunMetrics, rows: readonly PooledRow[]): PooledMetrics;
export function pooledOf(metrics: readonly Metric[], rows: readonly PooledRow[]): unknown {
  return Object.fromEntries(metrics.map((metric) => [metric.id, pooledBy(metric, rows)]));
}

/** The form of a row's results. */
export function rowMetricsSchema(metrics: RunMetrics): z.ZodType<RowMetrics>;
export function rowMetricsSchema(metrics: readonly Metric[]): z.ZodType<unknown> {
  return z.strictObject(Object.fromEntries(metrics.map(({ id, schema }) => [id, schema])));
}

/** A row with results. */
export interface PooledRow {
  readonly session: string;
  readonly metrics: RowMetrics;
}

/** Pools rows by one metric. Throws if a row has no result of it. */
export function pooledBy<Result, Pooled>(metric: Metric<string, Result, Pooled>, rows: readonly PooledRow[]): Pooled {
  const results = rows.map((row) => resultOf(metric, row));
  const calls = rows.map(({ metrics }) => metrics.safety.calls);
  const pooled = metric.pool({ results: isBuiltIn(metric) ? results : structuredClone(results), calls });
  return option.atOnce(`the metric ${metric.id}`, pooled);
}

/** A row's result of a metric: it has the metric's form, since the metric made it or the row's schema read it. */
function resultOf<Result>(metric: Pick<Metric<string, Result, never>, "id" | "schema">, row: PooledRow): Result;
function resultOf({ id }: { readonly id: string }, row: PooledRow): unknown {
  const results: Readonly<Record<string, unknown>> = row.metrics;
  if (!Object.hasOwn(results, id)) throw new Error(`${row.session}: no result of ${id}`);
  return results[id];
}
