import type { MetricMeaning } from "../metrics/meaning.ts";
import { COST_MEANINGS } from "../metrics/meanings/cost-meanings.ts";
import { ECONOMY_MEANINGS, RELATIVE_MEANINGS } from "../metrics/meanings/economy-meanings.ts";
import { RETENTION_MEANINGS } from "../metrics/meanings/retention-meanings.ts";
import { SAFETY_MEANINGS } from "../metrics/meanings/safety-meanings.ts";
import type { RowMetrics } from "../results.ts";
import { ratioOf } from "./figures.ts";
import { BASELINE_POLICY } from "./policy-summary.ts";

/** A column of the table beside a chart. */
export interface CellFigure {
  readonly name: string;
  readonly format: "count" | "tokens" | "percent" | "usd";
  readonly meaning: MetricMeaning;
  readonly value: (metrics: RowMetrics, baseline: RowMetrics | null) => number | null;
}

const share = (part: number, whole: number): number | null => {
  const ratio = ratioOf(part, whole);
  return ratio === null ? null : 100 * ratio;
};

const percent = (name: string, meaning: MetricMeaning, value: CellFigure["value"]): CellFigure => ({
  name,
  format: "percent",
  meaning,
  value,
});

/** Columns of the table beside a chart. */
export const CELL_FIGURES: readonly CellFigure[] = [
  { name: "calls", format: "count", meaning: SAFETY_MEANINGS.calls, value: ({ safety }) => safety.calls },
  {
    name: "overflows",
    format: "count",
    meaning: SAFETY_MEANINGS.overflowingRequests,
    value: ({ safety }) => safety.overflowingRequests,
  },
  { name: "invalid", format: "count", meaning: SAFETY_MEANINGS.invalidRequests, value: ({ safety }) => safety.invalidRequests },
  { name: "compactions", format: "count", meaning: ECONOMY_MEANINGS.compactions, value: ({ economy }) => economy.compactions },
  { name: "cache breaks", format: "count", meaning: COST_MEANINGS.cacheBreaks, value: ({ cost }) => cost.cacheBreaks },
  {
    name: "prompt tokens",
    format: "tokens",
    meaning: ECONOMY_MEANINGS.promptTokens,
    value: ({ economy }) => economy.promptTokens,
  },
  percent(`% of ${BASELINE_POLICY}`, RELATIVE_MEANINGS.pooled, ({ economy }, baseline) =>
    baseline === null ? null : share(economy.promptTokens, baseline.economy.promptTokens),
  ),
  { name: "USD, cache", format: "usd", meaning: COST_MEANINGS.withCacheUsd, value: ({ cost }) => cost.withCacheUsd },
  { name: "USD, no cache", format: "usd", meaning: COST_MEANINGS.withoutCacheUsd, value: ({ cost }) => cost.withoutCacheUsd },
  {
    name: "peak tokens",
    format: "tokens",
    meaning: ECONOMY_MEANINGS.peakPromptTokens,
    value: ({ economy }) => economy.peakPromptTokens,
  },
  percent("recall %", RETENTION_MEANINGS.recalled, ({ retention: { all } }) => share(all.recalled, all.uses)),
  percent("recall far %", RETENTION_MEANINGS.recalled, ({ retention: { far } }) => share(far.recalled, far.uses)),
  percent("source evidence %", RETENTION_MEANINGS.sourceEvidenced, ({ retention: { all } }) =>
    share(all.sourceEvidenced, all.uses),
  ),
  percent("source evidence far %", RETENTION_MEANINGS.sourceEvidenced, ({ retention: { far } }) =>
    share(far.sourceEvidenced, far.uses),
  ),
];

/** Digits that are kept. Chosen: more than any of them is worth. */
const DIGITS = 7;

/** The figures of one row, in the order of their columns. */
export function cellFigures(metrics: RowMetrics, baseline: RowMetrics | null): readonly (number | null)[] {
  return CELL_FIGURES.map(({ value }) => {
    const figure = value(metrics, baseline);
    return figure === null ? null : Number(figure.toPrecision(DIGITS));
  });
}
