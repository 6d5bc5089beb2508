import type { ReferenceUse } from "../references/recorded-history.ts";
import type { DecayStep } from "../results.ts";

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
      const first = ordinals.findLastIndex((ordinal) => ordinal <= latestOrdinal) + 1;
      const step = steps[Math.min(ordinals.length - first, LAST_STEP)];
      if (step === undefined) return;
      step.uses += 1;
      if (sourceEvidenced) step.sourceEvidenced += 1;
    },
    result: () => steps.filter(({ uses }) => uses > 0).map((step) => ({ ...step })),
  };
}
