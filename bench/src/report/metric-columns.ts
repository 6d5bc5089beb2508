import { columnsOf } from "../metrics/columns.ts";
import type { MetricTable } from "../metrics/metric.ts";
import type { RunMetrics } from "../metrics/registry.ts";
import { formatFigure } from "./figures.ts";
import { type FigureColumn, numberColumn } from "./html-figure-table.ts";
import type { PolicySummary } from "./policy-summary.ts";

/** The columns of a table of the page that come from the metrics. */
export function metricColumns(metrics: RunMetrics, table: MetricTable): readonly FigureColumn<PolicySummary>[] {
  return columnsOf(metrics, table).map(({ group, title, format, figure, figureOf }) =>
    numberColumn({
      group,
      title,
      meaning: figure,
      value: (summary) => figureOf(summary.metrics),
      format: (value) => formatFigure(format, value),
      isBad: (summary) => figure.isFailure === true && (figureOf(summary.metrics) ?? 0) > 0,
    }),
  );
}
