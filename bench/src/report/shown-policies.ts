import { BASELINE_POLICY } from "../metrics/relative.ts";
import type { BenchReport } from "../results.ts";
import type { WindowAnswer } from "./answer.ts";
import type { PolicySummary } from "./policy-summary.ts";

/** Which policies are drawn at first in a window, and which is looked at. */
export interface ShownPolicies {
  readonly shown: readonly string[];
  readonly picked: string | null;
  /** True where the one that is looked at is the one to use. */
  readonly isRecommended: boolean;
}

/** Lines that are drawn before a reader chooses (chosen: more cannot be told apart). */
const MOST_LINES = 5;

/** Doing nothing, the policy to use, its front, and others as long as there is room; all where there are few. */
export function shownPolicies(
  { policies }: Pick<BenchReport, "policies">,
  summaries: readonly PolicySummary[],
  answer: WindowAnswer | undefined,
): ShownPolicies {
  const pick = answer?.choice.pick?.policy ?? null;
  const picked = pick ?? summaries.findLast(({ isActing }) => isActing)?.policy ?? null;
  const placed = [...(answer?.choice.front ?? []), ...(answer?.choice.placed ?? [])].map(({ policy }) => policy);
  const wanted = [...new Set([BASELINE_POLICY, ...(picked === null ? [] : [picked]), ...placed])];
  const all = policies.map(({ name }) => name);
  return { shown: all.length <= MOST_LINES ? all : wanted.slice(0, MOST_LINES), picked, isRecommended: pick !== null };
}
