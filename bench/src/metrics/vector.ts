import type { HeldCount } from "../needs/needles.ts";
import { geometricMeanOf, type InSession, inLineages, meanOf, percentOf } from "../statistics.ts";
import type { RowMetrics } from "./registry.ts";

/** A measure of the vector, over all needs or over far ones. */
export interface VectorMeasure {
  readonly name: string;
  readonly isFar: boolean;
}

/** The share that a replay's contexts held by one measure, in percent; `null` without such needs. */
export interface VectorShare {
  readonly own: number | null;
  /** The plain tail of the policy's size. */
  readonly tail: number | null;
  /** Doing nothing: calls that were rejected hold nothing. */
  readonly none: number | null;
}

/** The measures of the vector, by name and metric. */
export const MEASURES = [
  ["replaced texts", "replacedTexts"],
  ["passages", "passages"],
  ["file in hand", "fileInHand"],
] as const;

/** The measures of kept content by which policies are compared (docs/evidence.md): each over all needs, and over the older ones, stated at least 20,000 tokens before. */
export const VECTOR: readonly VectorMeasure[] = MEASURES.flatMap(([name]) => [
  { name, isFar: false },
  { name: `older ${name}`, isFar: true },
]);

/** A replay's shares, in the order of {@link VECTOR}; `nothing` is the session without compaction. */
export function vectorOf(metrics: RowMetrics, nothing: RowMetrics): readonly VectorShare[] {
  const shareOf = ({ held, uses }: HeldCount) => percentOf(held, uses);
  return MEASURES.flatMap(([, id]) =>
    (["all", "far"] as const).map((span) => {
      const { [span]: own, tail } = metrics[id];
      return { own: shareOf(own), tail: shareOf(tail[span]), none: shareOf(nothing[id][span]) };
    }),
  );
}

/** A policy that costs this much more is still one of about the same cost (docs/evidence.md). */
export const SAME_COST_RATIO = 1.05;

/** Fewer points are no difference if there is no interval (docs/evidence.md). */
export const LEAST_POINTS = 1;

/** Averages the sessions' shares for each measure of {@link VECTOR}, in percent; each session with such needs counts the same. `null` if none has any. */
export function meanShares(sessions: readonly (readonly VectorShare[])[]): readonly Pick<VectorShare, "own" | "tail">[] {
  return VECTOR.map((_, measure) => ({
    own: meanOf(sessions.flatMap((vector) => vector[measure]?.own ?? [])),
    tail: meanOf(sessions.flatMap((vector) => vector[measure]?.tail ?? [])),
  }));
}

/** The cost of a session as a share of doing nothing, and the needs that it held. */
export interface ComparedSession extends InSession {
  readonly costRatio: number;
  /** In the order of the vector. */
  readonly vector: readonly VectorShare[];
}

/** The sessions of each lineage as one, by their means: whatever was forked off it, it counts once. `others` joins what else there is. */
export function asUnits<Session extends ComparedSession>(
  sessions: readonly Session[],
  others: (own: readonly Session[]) => Partial<Session>,
): readonly Session[] {
  return inLineages(sessions).map((own) => {
    if (own.length === 1) return own[0];
    const vector = VECTOR.map((_, measure): VectorShare => {
      const mean = (kind: keyof VectorShare) => meanOf(own.flatMap((each) => each.vector[measure]?.[kind] ?? []));
      return { own: mean("own"), tail: mean("tail"), none: mean("none") };
    });
    return { ...own[0], costRatio: geometricMeanOf(own.map(({ costRatio }) => costRatio)) ?? 0, vector, ...others(own) };
  });
}

/** The mean of the measures over all needs, or over far ones; `null` without one. */
export function vectorMean(shares: readonly (number | null)[], span: "all" | "far"): number | null {
  return meanOf(shares.flatMap((share, measure) => (VECTOR[measure]?.isFar === (span === "far") ? (share ?? []) : [])));
}
