import type { FigureFormat, Metric, MetricFigure, MetricTable } from "./metric.ts";
import type { PooledMetrics } from "./registry.ts";

/** A figure as a column of a table. */
export interface ShownFigure {
  readonly group: string;
  readonly title: string;
  readonly format: FigureFormat;
  readonly figure: MetricFigure<unknown>;
  figureOf(pooled: PooledMetrics): number | null;
}

/** The columns of a table: group by group, in a group in the order of the metrics and of their figures. */
export function columnsOf(metrics: readonly Metric[], table: MetricTable): readonly ShownFigure[] {
  const columns = metrics.flatMap((metric) =>
    Object.values(metric.figures).flatMap((figure) =>
      figure.columns
        .filter((column) => column.table === table)
        .map(({ group, title }): ShownFigure => {
          const { format } = figure;
          return { group, title, format, figure, figureOf: (pooled) => figure.value(Reflect.get(pooled, metric.id)) };
        }),
    ),
  );
  return [...new Set(columns.map(({ group }) => group))].flatMap((group) => columns.filter((column) => column.group === group));
}
