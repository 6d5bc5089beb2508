import type { RowMetrics } from "../metrics/registry.ts";
import type { HeldCount } from "../needs/needles.ts";
import { meanKnown, meanOf, percentOf } from "../statistics.ts";

/** The share that a replay's contexts held by one measure, in percent; `null` without such needs. */
export interface VectorShare {
  readonly own: number | null;
  /** The plain tail of the policy's size. */
  readonly tail: number | null;
  /** Doing nothing: calls that were rejected hold nothing. */
  readonly none: number | null;
  /** The needs that these are shares of. */
  readonly uses: number;
}

/** The measures of the vector, by name and metric. */
export const MEASURES = [
  ["replaced texts", "replacedTexts"],
  ["passages", "passages"],
  ["edited files", "fileInHand"],
] as const;

/** The measures of kept content by which policies are compared (docs/evidence.md): each over all needs, and over the older ones, stated at least 20,000 tokens before. */
export const VECTOR: readonly { readonly name: string; readonly isFar: boolean }[] = MEASURES.flatMap(([name]) => [
  { name, isFar: false },
  { name: `older ${name}`, isFar: true },
]);

/** A replay's shares, in the order of {@link VECTOR}; `nothing` is the session without compaction. */
export function vectorOf(metrics: RowMetrics, nothing: RowMetrics): readonly VectorShare[] {
  const shareOf = ({ held, uses }: HeldCount) => percentOf(held, uses);
  return MEASURES.flatMap(([, id]) => {
    const { [id]: held } = metrics;
    const { [id]: without } = nothing;
    return (["all", "far"] as const).map((span) => ({
      own: shareOf(held[span]),
      tail: shareOf(held.tail[span]),
      none: shareOf(without[span]),
      uses: held[span].uses,
    }));
  });
}

/** Averages the sessions' shares for each measure of {@link VECTOR}, in percent; each session with such needs counts the same. `null` if none has any. */
export function meanShares(sessions: readonly (readonly VectorShare[])[]): readonly Pick<VectorShare, "own" | "tail">[] {
  return VECTOR.map((_, measure) => ({
    own: meanKnown(sessions, (vector) => vector[measure]?.own ?? null),
    tail: meanKnown(sessions, (vector) => vector[measure]?.tail ?? null),
  }));
}

/** The mean of the measures over all needs, or over far ones; `null` without one. */
export function vectorMean(shares: readonly (number | null)[], span: "all" | "far"): number | null {
  return meanOf(shares.flatMap((share, measure) => (VECTOR[measure]?.isFar === (span === "far") ? (share ?? []) : [])));
}
