import { clusteredEstimate, FEWEST_OWNERS, geometricMeanOver, type Interval, unitOf } from "../statistics.ts";
import type { Standing } from "./standing.ts";

/** How sure a cost is: the middle 95% of its values when projects or sessions are drawn anew. */
export interface Sureness {
  /** In percent of the other's cost, or of never compacting. */
  readonly cost: Interval;
  readonly drawn: "projects" | "sessions";
  readonly count: number;
}

/**
 * Says how sure a policy's cost is: against `other` over the same sessions, or against never compacting. Projects are drawn if there are eight owners or more. With
 * fewer, sessions are drawn, from eight on: they say nothing about other projects. `null` with fewer sessions.
 */
export function surenessOf(own: Standing, other: Standing | null): Sureness | null {
  const ratios = own.units.map(({ file, costRatio, lineage: _, ...unit }, place) => ({
    ...unitOf({ ...unit, session: file }),
    ratio: (100 * costRatio) / (other?.units[place]?.costRatio ?? 1),
  }));
  const statistic = geometricMeanOver(({ ratio }: (typeof ratios)[number]) => ratio);
  const byProject = clusteredEstimate(ratios, statistic);
  if (byProject.interval !== null) return { cost: byProject.interval, drawn: "projects", count: byProject.repositories };
  if (byProject.owners >= FEWEST_OWNERS) return null;
  const { interval, repositories: count } = clusteredEstimate(ratios, statistic, (file) => ({ repository: file, owner: file }));
  return interval === null ? null : { cost: interval, drawn: "sessions", count };
}
