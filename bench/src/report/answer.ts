import { BASELINE_POLICY } from "../metrics/relative.ts";
import type { BenchReport } from "../results.ts";
import { type ChoiceSureness, choiceSureness } from "./choice-sureness.ts";
import { choosePolicy, type PolicyChoice } from "./policy-choice.ts";
import type { PolicySummary } from "./policy-summary.ts";
import { type WindowOutcomes, windowOutcomes } from "./session-outcomes.ts";
import { windowLabel } from "./window-label.ts";

/** What a window's figures come to: what happens without compaction, which policy to use, and how sure that is. */
export interface WindowAnswer {
  readonly windowLabel: string;
  /** Without compaction; `null` where doing nothing was not replayed. */
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
    const choice = choosePolicy(outcomes, [...outcomes.sessions.keys()]);
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
