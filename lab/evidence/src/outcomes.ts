import { areaWithin, pairsWithin, type ScoredRun } from "./area.ts";
import { grouped, numbered, type Resampled, resampled } from "./resample.ts";
import { MEASURES, type Measure, type RunRow } from "./run-row.ts";

/** The unit that is drawn whole: the runs of one task, or of one repository. */
export type Unit = "task" | "repository";

/** How many groups by length a model's runs are put into (protocol). */
const LENGTH_GROUPS = 3;

/** Something that is said of a run: a measure's share of what was missing, or its length. */
export type Score = Measure | "length";

/** The share of its needs that a run lacked by a measure; 0 if nothing was needed. */
export function scoreOf({ needs, calls }: RunRow, score: Score): number {
  if (score === "length") return calls;
  const { needed, missing } = needs[score];
  return needed === 0 ? 0 : missing / needed;
}

/** By run, the third of its model's runs by calls; equal lengths are in one. */
export function lengthThirds(rows: readonly RunRow[]): ReadonlyMap<RunRow, string> {
  const agents = grouped(rows, ({ dataset, agent }) => `${dataset} ${agent}`);
  return new Map(
    [...agents].flatMap(([agent, own]) => {
      const sorted = own.map(({ calls }) => calls).sort((a, b) => a - b);
      const bounds = [1, 2].map((third) => sorted[Math.floor((third * sorted.length) / LENGTH_GROUPS)] ?? 0);
      return own.map((row) => [row, `${agent} ${bounds.filter((bound) => row.calls >= bound).length}`] as const);
    }),
  );
}

/** The area of a score: over all pairs, within thirds of length, or within tasks. */
export interface AreaFigure {
  readonly score: Score;
  readonly within: "all" | "length" | "task";
  readonly pairs: number;
  readonly area: Resampled;
}

/** Runs scored, and told apart by what they are compared within. */
export function scored(
  rows: readonly RunRow[],
  { score, within, unit }: { readonly score: Score; readonly within: AreaFigure["within"]; readonly unit: Unit },
): { readonly runs: readonly ScoredRun[]; readonly clusters: number } {
  const thirds = lengthThirds(rows);
  const { of, count } = numbered(rows.map((row) => `${row.dataset} ${row[unit]}`));
  const stratumOf = (row: RunRow): string => {
    if (within === "length") return thirds.get(row) ?? "";
    return within === "task" ? `${row.dataset} ${row.task}` : row.dataset;
  };
  const runs = rows.map((row, place) => ({
    score: scoreOf(row, score),
    hasFailed: row.hasFailed,
    stratum: stratumOf(row),
    cluster: of[place] ?? 0,
  }));
  return { runs, clusters: count };
}

/** The areas of every measure and of length, each over all pairs, within thirds of length and within tasks. */
export function areas(rows: readonly RunRow[], unit: Unit, draws: number): readonly AreaFigure[] {
  return (["length", ...MEASURES] as const).flatMap((score) =>
    (["all", "length", "task"] as const).map((within) => {
      const { runs, clusters } = scored(rows, { score, within, unit });
      const { pairs } = pairsWithin(runs)(new Float64Array(clusters).fill(1));
      return { score, within, pairs, area: resampled(clusters, areaWithin(runs), draws) };
    }),
  );
}

/** By how much a measure's area over all pairs is above that of length: positive if it says more. */
export function aboveLength(
  rows: readonly RunRow[],
  score: Measure,
  { unit, draws }: { unit: Unit; draws: number },
): Resampled {
  const own = scored(rows, { score, within: "all", unit });
  const [measured, length] = [areaWithin(own.runs), areaWithin(scored(rows, { score: "length", within: "all", unit }).runs)];
  return resampled(
    own.clusters,
    (weights) => {
      const [one, other] = [measured(weights), length(weights)];
      return one === null || other === null ? null : one - other;
    },
    draws,
  );
}
