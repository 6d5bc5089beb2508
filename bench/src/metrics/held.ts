import { z } from "zod";
import type { HeldCount, HeldNeeds, NeedKind } from "../needs/needles.ts";
import { meanKnown, percentOf } from "../statistics.ts";
import { inTable, type Metric } from "./metric.ts";

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

/** A session of so many calls that shows no need of a kind says that its recording does not show them, not that there were none (chosen). */
export const SEEING_CALLS = 50;

/** A metric of held needs. */
export type HeldMetric<Id extends string> = Metric<Id, HeldResult, { readonly all: number | null }, "all">;

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
      // The replay passes each call to the shared state of all metrics of this kind.
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
    pool: ({ results }) => ({ all: meanKnown(results, ({ all }) => percentOf(all.held, all.uses)) }),
    figures: {
      all: {
        unit: "% of needs",
        better: "higher",
        method: `${words.method}. The mean of the sessions' shares.`,
        caveat: words.caveat,
        value: ({ all }) => all,
        format: "percent",
        columns: [inTable("chart", "kept, %", words.title)],
      },
    },
  };
}
