import type { PredictionErrors } from "../calibrate/errors.ts";
import { CALIBRATION_MEANINGS } from "../metrics/meanings/calibration-meanings.ts";
import { formatCount, formatPercent } from "./figures.ts";
import { type FigureColumn, numberColumn } from "./html-figure-table.ts";

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
