import { columnsOf } from "../metrics/columns.ts";
import { type PooledRow, pooledOf, type RunMetrics } from "../metrics/registry.ts";

/** Digits that are kept. Chosen: more than any of them is worth. */
const DIGITS = 7;

/** The figures of one row; against the baseline a row is compared even if nobody acted, and the baseline with itself. */
export type CellFigures = (row: PooledRow, baseline: PooledRow | null) => readonly (number | null)[];

/** Makes the figures of rows in the table beside a chart, in the order of its columns. */
export function createCellFigures(metrics: RunMetrics): CellFigures {
  const columns = columnsOf(metrics, "chart");
  return (row, baseline) => {
    const pooled = pooledOf(metrics, [row], { kind: "same-session", row: baseline });
    return columns.map(({ figureOf }) => {
      const figure = figureOf(pooled);
      return figure === null ? null : Number(figure.toPrecision(DIGITS));
    });
  };
}
