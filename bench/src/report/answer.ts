import { BASELINE_POLICY } from "../metrics/relative.ts";
import { originOf } from "../origin.ts";
import type { BenchReport } from "../results.ts";
import { createRandom, FEWEST_OWNERS, type Interval, ownersOf } from "../statistics.ts";
import { windowLabel } from "./labels.ts";
import { costEstimate } from "./paired-differences.ts";
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
    const sureness = choiceSureness(outcomes, choice.pick?.policy ?? null);
    return { windowLabel: label, nothing: nothingDone(report, label), outcomes, choice, sureness };
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

/** How often each policy was chosen over repositories drawn anew, the most often first. */
export interface ChoiceSureness {
  readonly repositories: number;
  readonly resamples: number;
  /** 95 % interval of the cost of the policy to use, in percent of doing nothing; `null` if there is none. */
  readonly cost: Interval | null;
  readonly chosen: readonly { readonly policy: string | null; readonly share: number }[];
}

/** Chosen: shares are then sure to two points. */
const RESAMPLES = 500;

/**
 * Chooses again, by differences without intervals, over repositories drawn with replacement. `null` with too few owners, whose sessions say
 * nothing about others. Deterministic.
 */
export function choiceSureness(outcomes: WindowOutcomes, pick: string | null): ChoiceSureness | null {
  const { sessions, byPolicy } = outcomes;
  const clusters = new Map<string, number[]>();
  for (const [index, session] of sessions.entries()) {
    const { repository } = originOf(session);
    clusters.set(repository, [...(clusters.get(repository) ?? []), index]);
  }
  if (ownersOf(sessions).size < FEWEST_OWNERS || byPolicy.size === 0) return null;
  const random = createRandom();
  const repositories = [...clusters.values()];
  const times = new Map<string | null, number>();
  for (let sample = 0; sample < RESAMPLES; sample++) {
    const drawn = repositories.flatMap(() => repositories[Math.floor(random() * repositories.length)] ?? []);
    const policy = choosePolicy(outcomes, drawn).pick?.policy ?? null;
    times.set(policy, (times.get(policy) ?? 0) + 1);
  }
  const chosen = [...times].map(([policy, often]) => ({ policy, share: often / RESAMPLES }));
  return {
    repositories: repositories.length,
    resamples: RESAMPLES,
    cost: costEstimate(byPolicy.get(pick ?? "") ?? []).interval,
    chosen: chosen.toSorted((a, b) => b.share - a.share),
  };
}
