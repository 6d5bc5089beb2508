import type { PredictionErrors } from "../calibrate/errors.ts";
import type { MetricMeaning } from "../metrics/metric.ts";
import { formatCount, formatPercent } from "./figures.ts";
import { type FigureColumn, numberColumn } from "./html-figure-table.ts";

const FIRST = "Without each session's first call, of which nothing was reported before.";
const NO_BOUND = "Methods without a bound of their own take their expectation for it.";

/** What the figures about predicted prompt sizes mean. */
export const CALIBRATION_MEANINGS: Readonly<Record<keyof PredictionErrors, MetricMeaning>> = {
  calls: { unit: "calls", better: "neither", method: "Calls with a reported prompt size.", caveat: FIRST },
  signedPercent: {
    unit: "% of the reported prompt",
    better: "neither",
    method: "Mean of predicted less reported. Below zero: predicted too little, the direction that overflows.",
    caveat: "Errors of both signs cancel out.",
  },
  mapePercent: {
    unit: "% of the reported prompt",
    better: "lower",
    method: "Mean of the errors without their sign (MAPE).",
    caveat: "Few large misses may decide it: see p95 and the largest.",
  },
  p50Percent: { unit: "% of the reported prompt", better: "lower", method: "Half of the calls err by less.", caveat: FIRST },
  p95Percent: { unit: "% of the reported prompt", better: "lower", method: "95 of 100 calls err by less.", caveat: FIRST },
  maxPercent: { unit: "% of the reported prompt", better: "lower", method: "The largest error.", caveat: FIRST },
  offByTwoPercentCount: { unit: "calls", better: "lower", method: "Calls off by more than 2 %.", caveat: FIRST },
  offByFivePercentCount: { unit: "calls", better: "lower", method: "Calls off by more than 5 %.", caveat: FIRST },
  coverageRatio: {
    unit: "% of calls",
    better: "higher",
    method: "Calls whose report did not exceed the predicted upper bound.",
    caveat: NO_BOUND,
  },
  marginPercent: {
    unit: "% of the reported prompt",
    better: "lower",
    method: "How far the upper bound lay above the report, on average.",
    caveat: `Below zero where the bound misses by much. ${NO_BOUND}`,
  },
  marginP50Percent: {
    unit: "% of the reported prompt",
    better: "lower",
    method: "How far the upper bound lay above the report at the middle call.",
    caveat: NO_BOUND,
  },
};

type Figure = readonly [title: string, figure: keyof PredictionErrors, kind: "count" | "percent" | "ratio"];

const FIGURES: readonly Figure[] = [
  ["calls", "calls", "count"],
  ["bias, %", "signedPercent", "percent"],
  ["MAPE, %", "mapePercent", "percent"],
  ["p50, %", "p50Percent", "percent"],
  ["p95, %", "p95Percent", "percent"],
  ["largest, %", "maxPercent", "percent"],
  ["off by > 2 %", "offByTwoPercentCount", "count"],
  ["off by > 5 %", "offByFivePercentCount", "count"],
  ["bound held, %", "coverageRatio", "ratio"],
  ["margin, %", "marginPercent", "percent"],
  ["margin p50, %", "marginP50Percent", "percent"],
];

/** Columns of the errors of predictions. */
export function calibrationColumns<Row>(errorsOf: (row: Row) => PredictionErrors): readonly FigureColumn<Row>[] {
  return FIGURES.map(([title, figure, kind]) =>
    numberColumn({
      group: "",
      title,
      meaning: CALIBRATION_MEANINGS[figure],
      value: (row) => {
        const value = errorsOf(row)[figure];
        return kind === "ratio" && value !== null ? 100 * value : value;
      },
      format: kind === "count" ? formatCount : formatPercent,
    }),
  );
}
