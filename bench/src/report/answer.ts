import { BASELINE_POLICY } from "../metrics/relative.ts";
import { originOf } from "../origin.ts";
import type { BenchReport } from "../results.ts";
import { createRandom, FEWEST_OWNERS, type Interval, ownersOf } from "../statistics.ts";
import { windowLabel } from "./labels.ts";
import { modelSummaries } from "./model-summaries.ts";
import { choosePolicy, type PolicyChoice } from "./policy-choice.ts";
import type { PolicySummary } from "./policy-summary.ts";
import { amongPolicies, costEstimate, type WindowOutcomes, windowOutcomes } from "./session-outcomes.ts";

/** The answer for a window: the cost without compaction, the policy to use, and how sure that is. */
export interface WindowAnswer {
  readonly windowLabel: string;
  /** Like is compared with like: whether the policies pay for a model's summaries; `null` if none of the run does. */
  readonly summaries: "by a model" | "without a model" | null;
  /** Policies that act, of the other kind too. */
  readonly acting: readonly string[];
  /** Without compaction; `null` if doing nothing was not replayed. */
  readonly nothing: NothingDone | null;
  /** Of the policies that are compared here. */
  readonly outcomes: WindowOutcomes;
  readonly choice: PolicyChoice;
  readonly sureness: ChoiceSureness | null;
}

/** The figures of doing nothing. */
interface NothingDone {
  readonly sessions: number;
  readonly outgrown: number;
  readonly calls: number;
  readonly rejected: number;
}

/** One answer for each window of the report; two if some policies pay for a model's summaries and some do not. */
export function windowAnswers(report: BenchReport, summaries: readonly PolicySummary[]): readonly WindowAnswer[] {
  const labels = [...new Set(summaries.map(({ windowLabel: label }) => label))];
  const asking = modelSummaries(report);
  return labels.flatMap((label) => {
    const acting = summaries.flatMap(({ windowLabel: own, policy, isActing }) => (own === label && isActing ? [policy] : []));
    const all = windowOutcomes(report, { windowLabel: label, acting });
    const about = { windowLabel: label, acting, nothing: nothingDone(report, label) };
    const groups = (["without a model", "by a model"] as const)
      .map((summaries) => ({ summaries, outcomes: amongPolicies(all, namesOf(all, asking, summaries)) }))
      .filter(({ outcomes }) => outcomes.byPolicy.size > 0);
    const compared = asking.size === 0 || groups.length === 0 ? [{ summaries: null, outcomes: all }] : groups;
    return compared.map((group) => ({ ...about, ...group, ...chosenAmong(group.outcomes) }));
  });
}

function namesOf(
  { byPolicy }: WindowOutcomes,
  asking: ReadonlyMap<string, unknown>,
  summaries: "by a model" | "without a model",
): ReadonlySet<string> {
  return new Set([...byPolicy.keys()].filter((policy) => asking.has(policy) === (summaries === "by a model")));
}

function chosenAmong(outcomes: WindowOutcomes): Pick<WindowAnswer, "choice" | "sureness"> {
  const choice = choosePolicy(outcomes, [...outcomes.sessions.keys()], { withIntervals: true });
  return { choice, sureness: choiceSureness(outcomes, choice.pick?.policy ?? null) };
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
interface ChoiceSureness {
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
function choiceSureness(outcomes: WindowOutcomes, pick: string | null): ChoiceSureness | null {
  const { units, byPolicy } = outcomes;
  const clusters = new Map<string, number[]>();
  for (const [index, { session, lineage = session }] of units.entries()) {
    const { repository } = originOf(lineage);
    clusters.set(repository, [...(clusters.get(repository) ?? []), index]);
  }
  if (ownersOf(units).size < FEWEST_OWNERS || byPolicy.size === 0) return null;
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
