import { FEWEST_SESSIONS } from "../tune/bootstrap.ts";
import { choosePolicy } from "./policy-choice.ts";
import type { WindowOutcomes } from "./session-outcomes.ts";

/** How often each policy was chosen over resampled sessions, the most often first. */
export interface ChoiceSureness {
  readonly sessions: number;
  readonly resamples: number;
  readonly chosen: readonly { readonly policy: string | null; readonly share: number }[];
}

/** Chosen: shares are then sure to two points. */
const RESAMPLES = 500;

/**
 * Chooses again over sessions drawn with replacement. `null` with fewer than 8 sessions, which say nothing about others. Deterministic: the
 * generator starts the same each time.
 */
export function choiceSureness(outcomes: WindowOutcomes): ChoiceSureness | null {
  const count = outcomes.sessions.length;
  if (count < FEWEST_SESSIONS || outcomes.byPolicy.size < 2) return null;
  const random = generator();
  const times = new Map<string | null, number>();
  for (let sample = 0; sample < RESAMPLES; sample++) {
    const drawn = Array.from({ length: count }, () => Math.floor(random() * count));
    const policy = choosePolicy(outcomes, drawn).pick?.policy ?? null;
    times.set(policy, (times.get(policy) ?? 0) + 1);
  }
  const chosen = [...times].map(([policy, often]) => ({ policy, share: often / RESAMPLES }));
  return { sessions: count, resamples: RESAMPLES, chosen: chosen.toSorted((a, b) => b.share - a.share) };
}

/** A linear congruential generator (Numerical Recipes' constants), 0 up to 1. */
function generator(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
