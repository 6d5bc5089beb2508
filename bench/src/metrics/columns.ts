import type { FigureFormat, Metric, MetricFigure, MetricTable } from "./metric.ts";
import type { PooledMetrics } from "./registry.ts";

/** A figure as a column of a table. */
export interface ShownFigure {
  readonly group: string;
  readonly title: string;
  readonly format: FigureFormat;
  readonly figure: MetricFigure<unknown>;
  figureOf(pooled: PooledMetrics): number | null;
  isHiddenIn(pooled: PooledMetrics): boolean;
}

/** The columns of a table: group by group, in a group in the order of the metrics and of their figures. */
export function columnsOf(metrics: readonly Metric[], table: MetricTable): readonly ShownFigure[] {
  const columns = metrics.flatMap((metric) =>
    Object.values(metric.figures).flatMap((figure) =>
      figure.columns
        .filter((column) => column.table === table)
        .map(({ group, title }) => shown(metric, figure, { group, title })),
    ),
  );
  return [...new Set(columns.map(({ group }) => group))].flatMap((group) => columns.filter((column) => column.group === group));
}

function shown(
  { id }: Metric,
  figure: MetricFigure<unknown>,
  place: { readonly group: string; readonly title: string },
): ShownFigure {
  const own = (pooled: PooledMetrics): unknown => {
    const byMetric: Readonly<Record<string, unknown>> = pooled;
    return byMetric[id];
  };
  return {
    ...place,
    format: figure.format,
    figure,
    figureOf: (pooled) => figure.value(own(pooled)),
    isHiddenIn: (pooled) => figure.isHidden?.(own(pooled)) === true,
  };
}
