import { z } from "zod";
import type { ReferenceUse } from "../references/recorded-history.ts";
import { countUpTo } from "../statistics.ts";
import type { MeasuredCall, Metric } from "./metric.ts";

/** Uses whose reference was last said so many compactions ago; the last step, 5, holds all beyond it. */
export interface DecayStep {
  readonly compactions: number;
  readonly uses: number;
  readonly sourceEvidenced: number;
}

const count = z.int().nonnegative();

/** Source evidence by the compactions since the reference was last said, from 0; steps without a use are left out. */
export const DECAY: Metric<"decay", readonly DecayStep[], null, never> = {
  id: "decay",
  schema: z.array(z.strictObject({ compactions: count, uses: count, sourceEvidenced: count })).readonly(),
  measure: () => {
    const decay = createDecay();
    const follow = ({ compactions, ordinal }: Pick<MeasuredCall, "compactions" | "ordinal">) => {
      for (const _ of compactions) decay.compacted(ordinal);
    };
    return {
      add: (call) => {
        follow(call);
        for (const { use, sourceEvidenced } of call.uses) decay.use(use, sourceEvidenced);
      },
      follow,
      result: decay.result,
    };
  },
  pool: () => null,
  figures: {},
};

/** So many compactions and more are one step (chosen: sessions seldom have more). */
const LAST_STEP = 5;

/** Counts uses by the compactions since the reference was last said; the last step holds all beyond it. */
export function createDecay(): {
  /** A compaction happened when the recorded history had so many messages. */
  compacted(ordinal: number): void;
  use(use: ReferenceUse, sourceEvidenced: boolean): void;
  result(): readonly DecayStep[];
} {
  const ordinals: number[] = [];
  const steps = Array.from({ length: LAST_STEP + 1 }, (_, compactions) => ({ compactions, uses: 0, sourceEvidenced: 0 }));
  return {
    compacted: (ordinal) => {
      ordinals.push(ordinal);
    },
    use: ({ latestOrdinal }, sourceEvidenced) => {
      const step = steps[Math.min(ordinals.length - countUpTo(ordinals, latestOrdinal), LAST_STEP)];
      if (step === undefined) return;
      step.uses += 1;
      if (sourceEvidenced) step.sourceEvidenced += 1;
    },
    result: () => steps.filter(({ uses }) => uses > 0).map((step) => ({ ...step })),
  };
}
