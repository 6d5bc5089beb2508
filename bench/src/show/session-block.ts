import { isMeasured } from "../judge/policy-summary.ts";
import { windowLabel } from "../judge/window-label.ts";
import { columnsOf } from "../metrics/columns.ts";
import { type PooledRow, pooledOf, type RunMetrics } from "../metrics/registry.ts";
import type { BenchReport, CallPoint, ReplayRow } from "../results.ts";
import { runsOf } from "../statistics.ts";
import type { TriggerLine } from "./trigger.ts";

/** The data from which the page's script draws one session. */
export interface SessionBlock {
  readonly cells: readonly ChartCell[];
}

/** One chart: the session in a window (by index). */
export interface ChartCell {
  readonly window: number;
  readonly windowTokens: number;
  readonly budgetTokens: number;
  readonly overheadTokens: number;
  readonly lines: readonly ChartLine[];
}

/** One policy (by index) in a chart. `why` says why there is no line. */
export interface ChartLine {
  readonly policy: number;
  readonly why: string | null;
  /** The place of the policy's trigger; `null` for policies that never act. */
  readonly triggerTokens: number | null;
  /** Numbers of the calls from 1, each as the difference to the one before. */
  readonly callSteps: readonly number[];
  /** Prompt sizes, each as the difference to the one before. */
  readonly tokenSteps: readonly number[];
  /** Indexes of the points right before which a compaction happened. */
  readonly compacted: readonly number[];
  /** Points that overflowed, as pairs of a first index and a length. */
  readonly overflowRuns: readonly (readonly [number, number])[];
  /** Calls (from 1) whose prompt cache was broken, and those before which it had expired, as pairs with the tokens not read. */
  readonly broken: readonly (readonly [number, number])[];
  readonly expired: readonly (readonly [number, number])[];
  readonly figures: readonly (number | null)[];
}

/** One session's rows, the report's windows, the policies' trigger lines in the order of the report, and how many points a line may have. */
export interface SessionRows {
  readonly rows: readonly ReplayRow[];
  readonly windows: readonly string[];
  readonly triggers: readonly TriggerLine[];
  readonly mostPoints: number;
  readonly figuresOf: CellFigures;
}

/** Makes the block of one session. */
export function sessionBlock(
  report: BenchReport,
  { rows, windows, triggers, mostPoints, figuresOf }: SessionRows,
): SessionBlock {
  const policies = new Map(report.policies.map(({ name }, index) => [name, index]));
  const cells = windows.flatMap((label, window): readonly ChartCell[] => {
    const inWindow = rows.filter((row) => windowLabel(row.window) === label);
    const [first] = inWindow;
    if (first === undefined) return [];
    const place = (row: ReplayRow) => policies.get(row.policy) ?? 0;
    return [
      {
        window,
        windowTokens: first.contextWindowTokens,
        budgetTokens: first.inputBudgetTokens,
        overheadTokens: Math.round(first.overheadTokens),
        lines: inWindow.map((row) => ({
          policy: place(row),
          why: row.why,
          triggerTokens: triggers[place(row)]?.(row) ?? null,
          ...lineOf(row, mostPoints),
          figures: isMeasured(row) ? figuresOf(row) : [],
        })),
      },
    ];
  });
  return { cells };
}

type Line = Pick<ChartLine, "callSteps" | "tokenSteps" | "compacted" | "overflowRuns" | "broken" | "expired">;

function lineOf({ series, cacheMisses }: ReplayRow, mostPoints: number): Line {
  const points = downsample(series, mostPoints);
  const missesOf = (wanted: "broken" | "expired") =>
    cacheMisses.flatMap(({ call, kind, unreadTokens }) => (kind === wanted ? [[call + 1, unreadTokens] as const] : []));
  return {
    callSteps: stepsOf(points.map(({ call }) => call + 1)),
    tokenSteps: stepsOf(points.map(({ promptTokens }) => Math.round(promptTokens))),
    compacted: points.flatMap(({ compactions }, index) => (compactions > 0 ? [index] : [])),
    overflowRuns: runsOf(points.map(({ overflowed }) => overflowed)),
    broken: missesOf("broken"),
    expired: missesOf("expired"),
  };
}

/** Digits that are kept. Chosen: more than any of them is worth. */
const DIGITS = 7;

/** The figures of one row. */
export type CellFigures = (row: PooledRow) => readonly (number | null)[];

/** Makes the figures of rows in the table beside a chart, in the order of its columns. */
export function createCellFigures(metrics: RunMetrics): CellFigures {
  const columns = columnsOf(metrics, "chart");
  return (row) => {
    const pooled = pooledOf(metrics, [row]);
    return columns.map(({ figureOf }) => {
      const figure = figureOf(pooled);
      return figure === null ? null : Number(figure.toPrecision(DIGITS));
    });
  };
}

/**
 * At most `maximumPoints` points in their order (a handful more if many calls compacted or overflowed): of each stretch of calls the
 * lowest and the highest, so that peaks and cuts stay; every call with a compaction stays too, and the first and last.
 * An overflow stays if it is its stretch's highest point. Short series come back unchanged.
 */
function downsample(series: readonly CallPoint[], maximumPoints: number): readonly CallPoint[] {
  if (series.length <= maximumPoints) return series;
  const stretches = Math.max(1, Math.floor(maximumPoints / 2) - 1);
  const kept = new Set<number>([0, series.length - 1]);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * series.length) / stretches);
    const to = Math.floor(((stretch + 1) * series.length) / stretches);
    for (const index of extremes(series, from, to)) kept.add(index);
  }
  return series.filter((point, index) => kept.has(index) || point.compactions > 0);
}

/** Indexes of the lowest and the highest point of a stretch. */
function extremes(series: readonly CallPoint[], from: number, to: number): readonly [number, number] {
  let lowest = from;
  let highest = from;
  for (let index = from; index < to; index++) {
    const tokens = series[index]?.promptTokens ?? 0;
    if (tokens < (series[lowest]?.promptTokens ?? 0)) lowest = index;
    if (tokens > (series[highest]?.promptTokens ?? 0)) highest = index;
  }
  return [lowest, highest];
}

/** Each number as the difference to the one before: shorter to write down if numbers follow each other. */
function stepsOf(values: readonly number[]): readonly number[] {
  return values.map((value, index) => value - (values[index - 1] ?? 0));
}
