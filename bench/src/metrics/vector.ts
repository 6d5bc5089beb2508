import { percentOf } from "../statistics.ts";
import type { RowMetrics } from "./registry.ts";

/** A measure of the vector, over all needs or over far ones. */
export interface VectorMeasure {
  readonly name: string;
  readonly isFar: boolean;
}

/** What a replay's contexts held by one measure, in percent; `null` without such needs. The tail has the policy's size. */
export interface VectorShare {
  readonly own: number | null;
  readonly tail: number | null;
}

const MEASURES = [
  ["edit grounding", "editGrounding"],
  ["passage evidence", "passageEvidence"],
  ["file in hand", "fileInHand"],
  ["instructions", "instructions"],
  ["plan", "plan"],
] as const;

/** The vector by which policies are compared (docs/protocol.md), each measure over all needs and over far ones. */
export const VECTOR: readonly VectorMeasure[] = MEASURES.flatMap(([name]) => [
  { name, isFar: false },
  { name: `${name}, far`, isFar: true },
]);

/** A replay's shares, in the order of {@link VECTOR}. */
export function vectorOf(metrics: RowMetrics): readonly VectorShare[] {
  return MEASURES.flatMap(([, id]) =>
    (["all", "far"] as const).map((span) => {
      const { [span]: own, tail } = metrics[id];
      return { own: percentOf(own.held, own.uses), tail: percentOf(tail[span].held, tail[span].uses) };
    }),
  );
}
