import { z } from "zod";
import type { HeldCount, HeldNeeds } from "../grounding/held-needs.ts";
import type { NeedKind } from "../grounding/wanted.ts";
import { meanOf, percentOf } from "../statistics.ts";
import { inTable, type Metric, type MetricColumn, type MetricFigure } from "./metric.ts";

/** Needs of one kind that a replay's contexts held, and that a tail and an oracle of the same size hold. */
export interface HeldResult extends HeldNeeds {
  readonly tail: Sides;
  readonly oracle: Sides;
  /** Needs that no earlier message of the full history states: the agent knew them from elsewhere. */
  readonly leftOut: number;
}

interface Sides {
  readonly all: HeldCount;
  readonly far: HeldCount;
}

/** The same over sessions: shares are means of the sessions' shares, each session counting the same. */
interface PooledHeld {
  readonly uses: number;
  readonly usesFar: number;
  readonly all: number | null;
  readonly far: number | null;
  readonly pooled: number | null;
  readonly tail: number | null;
  readonly tailFar: number | null;
  readonly oracle: number | null;
  readonly oracleFar: number | null;
  /** By the number of compactions since, over all sessions. */
  readonly byCompactions: readonly HeldCount[];
  /** True if no session shows such a need, one of {@link SEEING_CALLS} calls at least among them. */
  readonly isHidden: boolean;
}

/** A session of so many calls that shows no need of a kind says that its recording does not show them, not that there were none (chosen). */
export const SEEING_CALLS = 50;

type FigureId = "uses" | "usesFar" | "all" | "far" | "pooled" | "overTail" | "overTailFar" | "oracle" | "oracleFar";

/** A metric of held needs. */
export type HeldMetric<Id extends string> = Metric<Id, HeldResult, PooledHeld, FigureId>;

/** The words that differ from one kind to another. */
export interface HeldWords<Id extends string> {
  readonly id: Id;
  readonly kind: NeedKind;
  /** Heads its columns. */
  readonly title: string;
  /** Which share it is, as a sentence without its full stop. */
  readonly method: string;
  readonly caveat: string;
  /** Columns besides those of the table of retention. */
  readonly columns?: Partial<Readonly<Record<FigureId, readonly MetricColumn[]>>>;
}

const count: z.ZodType<HeldCount> = z.strictObject({ uses: z.int().nonnegative(), held: z.int().nonnegative() });
const sides: z.ZodType<Sides> = z.strictObject({ all: count, far: count });

/** A metric of one kind of need (docs/evidence.md). */
export function heldMetric<Id extends string>(words: HeldWords<Id>): HeldMetric<Id> {
  return {
    id: words.id,
    schema: z.strictObject({
      all: count,
      far: count,
      byCompactions: z.array(count).readonly(),
      tail: sides,
      oracle: sides,
      leftOut: z.int().nonnegative(),
    }),
    measure: ({ session, held }) => ({
      // The replay tells each call to what all metrics of this kind share.
      add: () => undefined,
      result: () => {
        const { tail, oracle } = held.controls();
        const side = (needs: HeldNeeds): Sides => ({ all: needs.all, far: needs.far });
        const { all, far, byCompactions } = held.result(words.kind);
        return {
          all,
          far,
          byCompactions,
          tail: side(tail.result(words.kind)),
          oracle: side(oracle.result(words.kind)),
          leftOut: session.needs().leftOut[words.kind],
        };
      },
    }),
    pool: ({ results, calls }) => pooledHeld(results, calls),
    figures: figuresOf(words),
  };
}

function pooledHeld(results: readonly HeldResult[], calls: readonly number[]): PooledHeld {
  const mean = (side: (result: HeldResult) => HeldCount) =>
    meanOf(results.flatMap((result) => percentOf(side(result).held, side(result).uses) ?? []));
  const summed = (side: (result: HeldResult) => HeldCount | undefined): HeldCount =>
    results.reduce(
      ({ uses, held }, result) => ({ uses: uses + (side(result)?.uses ?? 0), held: held + (side(result)?.held ?? 0) }),
      { uses: 0, held: 0 },
    );
  const all = summed((result) => result.all);
  const steps = Math.max(0, ...results.map(({ byCompactions }) => byCompactions.length));
  return {
    uses: all.uses,
    usesFar: summed((result) => result.far).uses,
    all: mean((result) => result.all),
    far: mean((result) => result.far),
    pooled: percentOf(all.held, all.uses),
    tail: mean((result) => result.tail.all),
    tailFar: mean((result) => result.tail.far),
    oracle: mean((result) => result.oracle.all),
    oracleFar: mean((result) => result.oracle.far),
    isHidden: all.uses === 0 && calls.some((count) => count >= SEEING_CALLS),
    byCompactions: Array.from({ length: steps }, (_, step) => summed(({ byCompactions }) => byCompactions[step])),
  };
}

const FAR = "Stated 20,000 tokens before or more, by the size model.";
const TAIL =
  "Points above (below zero: under) the plain tail that has the same mean prompt in each session and cuts when the policy cuts.";
const ORACLE = "The same for an oracle of the policy's size, which knows what later calls need.";
const OPEN_LOOP = "The recorded reply does not react to what was cut: what is missing would have to be fetched again.";
const CONTROL = "A control of the bench's own, made from the size model alone: it is not replayed on the engine.";

type Says = Omit<MetricFigure<PooledHeld>, "columns" | "isFailure">;

function figuresOf<Id extends string>({
  title,
  method,
  caveat,
  columns = {},
}: HeldWords<Id>): Readonly<Record<FigureId, MetricFigure<PooledHeld>>> {
  const figure = (id: FigureId, shown: string, says: Says): MetricFigure<PooledHeld> => ({
    ...says,
    columns: [inTable("retention", title, shown), ...(columns[id] ?? [])],
  });
  const share = { unit: "% of needs", better: "higher", format: "percent" } as const;
  const uses = {
    unit: "needs",
    better: "neither",
    format: "count",
    caveat: "Needs that no earlier message states are left out.",
  } as const;
  const points = { unit: "points", better: "higher", format: "percent", caveat: CONTROL } as const;
  const far = { ...share, method: `The same share of far needs. ${FAR}`, caveat: OPEN_LOOP };
  return {
    uses: figure("uses", "needs", { ...uses, method: "Needs that the shares are of.", value: (held) => held.uses }),
    usesFar: figure("usesFar", "far needs", { ...uses, method: `Far needs. ${FAR}`, value: ({ usesFar }) => usesFar }),
    all: figure("all", "%", {
      ...share,
      isHidden: (held) => held.isHidden,
      measure: title,
      method: `${method}. The mean of the sessions' shares.`,
      caveat,
      value: ({ all }) => all,
    }),
    far: figure("far", "far %", { ...far, measure: `${title}, far`, value: (held) => held.far }),
    pooled: figure("pooled", "pooled %", {
      ...share,
      isHidden: (held) => held.isHidden,
      method: "The same share, each need counting the same.",
      caveat: "The longest sessions decide it.",
      value: ({ pooled }) => pooled,
    }),
    overTail: figure("overTail", "over its tail", { ...points, method: TAIL, value: ({ all, tail }) => difference(all, tail) }),
    overTailFar: figure("overTailFar", "far, over its tail", {
      ...points,
      method: `${TAIL} Of far needs.`,
      value: (held) => difference(held.far, held.tailFar),
    }),
    oracle: figure("oracle", "oracle %", { ...share, caveat: CONTROL, method: ORACLE, value: ({ oracle }) => oracle }),
    oracleFar: figure("oracleFar", "oracle, far %", {
      ...share,
      caveat: CONTROL,
      method: `${ORACLE} Of far needs.`,
      value: ({ oracleFar }) => oracleFar,
    }),
  };
}

function difference(own: number | null, other: number | null): number | null {
  return own === null || other === null ? null : own - other;
}
