import { BASELINE_POLICY } from "../metrics/relative.ts";
import type { BenchReport } from "../results.ts";
import { FEWEST_SESSIONS } from "../tune/bootstrap.ts";
import { windowLabel } from "./labels.ts";
import { choosePolicy, type PolicyChoice } from "./policy-choice.ts";
import type { PolicySummary } from "./policy-summary.ts";
import { type WindowOutcomes, windowOutcomes } from "./session-outcomes.ts";

/** What a window's figures come to: what happens without compaction, which policy to use, and how sure that is. */
export interface WindowAnswer {
  readonly windowLabel: string;
  /** Without compaction; `null` if doing nothing was not replayed. */
  readonly nothing: NothingDone | null;
  readonly outcomes: WindowOutcomes;
  readonly choice: PolicyChoice;
  readonly sureness: ChoiceSureness | null;
}

/** What doing nothing comes to. */
export interface NothingDone {
  readonly sessions: number;
  readonly outgrown: number;
  readonly calls: number;
  readonly rejected: number;
}

/** One answer for each window of the report. */
export function windowAnswers(report: BenchReport, summaries: readonly PolicySummary[]): readonly WindowAnswer[] {
  const labels = [...new Set(summaries.map(({ windowLabel: label }) => label))];
  return labels.map((label) => {
    const acting = summaries.flatMap(({ windowLabel: own, policy, isActing }) => (own === label && isActing ? [policy] : []));
    const outcomes = windowOutcomes(report, { windowLabel: label, acting, cache: "with" });
    const choice = choosePolicy(outcomes, [...outcomes.sessions.keys()], { withIntervals: true });
    return { windowLabel: label, nothing: nothingDone(report, label), outcomes, choice, sureness: choiceSureness(outcomes) };
  });
}

function nothingDone(report: BenchReport, label: string): NothingDone | null {
  const rows = report.rows.flatMap(({ policy, window, metrics }) =>
    policy === BASELINE_POLICY && metrics !== null && windowLabel(window) === label ? [metrics.safety] : [],
  );
  if (rows.length === 0) return null;
  return {
    sessions: rows.length,
    outgrown: rows.filter(({ overflowingRequests }) => overflowingRequests > 0).length,
    calls: rows.reduce((sum, { calls }) => sum + calls, 0),
    rejected: rows.reduce((sum, { overflowingRequests }) => sum + overflowingRequests, 0),
  };
}

/** How often each policy was chosen over resampled sessions, the most often first. */
export interface ChoiceSureness {
  readonly sessions: number;
  readonly resamples: number;
  /** Middle nine tenths of the cost of the policy to use, in percent of doing nothing; `null` if there is none. */
  readonly cost: { readonly from: number; readonly through: number } | null;
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
  if (count < FEWEST_SESSIONS || outcomes.byPolicy.size === 0) return null;
  const random = generator();
  const times = new Map<string | null, number>();
  const pick = choosePolicy(outcomes, [...outcomes.sessions.keys()]).pick?.policy;
  const costs: number[] = [];
  for (let sample = 0; sample < RESAMPLES; sample++) {
    const drawn = Array.from({ length: count }, () => Math.floor(random() * count));
    const choice = choosePolicy(outcomes, drawn);
    const policy = choice.pick?.policy ?? null;
    costs.push(...choice.placed.flatMap((placed) => (placed.policy === pick ? [placed.cost] : [])));
    times.set(policy, (times.get(policy) ?? 0) + 1);
  }
  const chosen = [...times].map(([policy, often]) => ({ policy, share: often / RESAMPLES }));
  return { sessions: count, resamples: RESAMPLES, cost: middle(costs), chosen: chosen.toSorted((a, b) => b.share - a.share) };
}

/** A tenth lies outside, half of it on each side. */
const TAIL_RATIO = 0.05;

function middle(values: readonly number[]): ChoiceSureness["cost"] {
  const sorted = values.toSorted((a, b) => a - b);
  const tail = Math.floor(sorted.length * TAIL_RATIO);
  const [from, through] = [sorted[tail], sorted[sorted.length - 1 - tail]];
  return from === undefined || through === undefined ? null : { from, through };
}

/** A linear congruential generator (Numerical Recipes' constants), 0 up to 1. */
function generator(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
