import type { MetricMeaning } from "./meaning.ts";
import type { Metric } from "./metric.ts";

/** The figures that are shown as a table in Markdown: name, unit, direction, method and caveat. Those that mean the same share a row. */
export function metricTable(metrics: readonly Metric[]): string {
  const rows = metrics.flatMap(({ id, figures }) => {
    const namesOf = new Map<string, string[]>();
    for (const [name, figure] of Object.entries(figures)) {
      if (figure.columns.length === 0) continue;
      const meaning = cellsOf(figure);
      namesOf.set(meaning, [...(namesOf.get(meaning) ?? []), `\`${id}.${name}\``]);
    }
    return [...namesOf].map(([meaning, names]) => `| ${names.join(", ")} | ${meaning} |`);
  });
  return ["| figure | unit | better | how it is made | what it does not say |", "|---|---|---|---|---|", ...rows].join("\n");
}

function cellsOf({ unit, better, method, caveat }: MetricMeaning): string {
  return [unit, better === "neither" ? "" : better, method, caveat].join(" | ");
}
