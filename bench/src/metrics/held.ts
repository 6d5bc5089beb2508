import { z } from "zod";
import type { HeldCount, HeldNeeds, NeedKind } from "../needs/needles.ts";
import { meanOf, percentOf } from "../statistics.ts";
import { inTable, type Metric, type MetricFigure } from "./metric.ts";

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

/** The same over sessions: means of the sessions' shares, each session counting the same. */
interface PooledHeld {
  readonly all: number | null;
  readonly far: number | null;
  /** True if no session shows such a need, one of {@link SEEING_CALLS} calls at least among them. */
  readonly isHidden: boolean;
}

/** A session of so many calls that shows no need of a kind says that its recording does not show them, not that there were none (chosen). */
export const SEEING_CALLS = 50;

type FigureId = "all" | "far";

/** A metric of held needs. */
export type HeldMetric<Id extends string> = Metric<Id, HeldResult, PooledHeld, FigureId>;

/** The words that differ from one kind to another. */
export interface HeldWords<Id extends string> {
  readonly id: Id;
  readonly kind: NeedKind;
  readonly title: string;
  /** Which share it is, as a sentence without its full stop. */
  readonly method: string;
  readonly caveat: string;
}

const count: z.ZodType<HeldCount> = z.strictObject({ uses: z.int().nonnegative(), held: z.int().nonnegative() });
const sides: z.ZodType<Sides> = z.strictObject({ all: count, far: count });

/** A metric of one kind of need (docs/evidence.md). */
export function heldMetric<Id extends string>(words: HeldWords<Id>): HeldMetric<Id> {
  return {
    id: words.id,
    schema: z.strictObject({ all: count, far: count, tail: sides, oracle: sides, leftOut: z.int().nonnegative() }),
    measure: ({ session, held }) => ({
      // The replay tells each call to what all metrics of this kind share.
      add: () => undefined,
      result: () => {
        const { tail, oracle } = held.controls();
        const side = (needs: HeldNeeds): Sides => ({ all: needs.all, far: needs.far });
        const { all, far } = held.result(words.kind);
        return {
          all,
          far,
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
  return {
    all: mean((result) => result.all),
    far: mean((result) => result.far),
    isHidden: results.every(({ all }) => all.uses === 0) && calls.some((count) => count >= SEEING_CALLS),
  };
}

type HeldFigure = MetricFigure<PooledHeld>;

function figuresOf<Id extends string>({ title, method, caveat }: HeldWords<Id>): Readonly<Record<FigureId, HeldFigure>> {
  const share = { unit: "% of needs", better: "higher", format: "percent" } as const;
  return {
    all: {
      ...share,
      isHidden: (held) => held.isHidden,
      method: `${method}. The mean of the sessions' shares.`,
      caveat,
      value: ({ all }) => all,
      columns: [inTable("chart", "kept, %", title)],
    },
    far: {
      ...share,
      method: "The same share of what was last said 20,000 tokens before or more, by the size model.",
      caveat: "The recorded reply does not react to what was cut: what is missing would have to be fetched again.",
      value: ({ far }) => far,
      columns: [],
    },
  };
}
