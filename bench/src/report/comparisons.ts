import type { BenchReport, PolicyComparison } from "../results.ts";
import { FEWEST_OWNERS, ownersOf } from "../statistics.ts";
import { formatNumberOf, verbFor } from "./figures.ts";
import { modelSummaries } from "./model-summaries.ts";
import { pairedDifferences, sessionRecord } from "./paired-differences.ts";
import { isActing, windowLabels } from "./policy-summary.ts";
import { type WindowOutcomes, windowOutcomes } from "./session-outcomes.ts";

/** A window's policies against doing nothing and against the newest messages alone, at their own size. */
export interface WindowComparison {
  readonly windowLabel: string;
  readonly outcomes: WindowOutcomes;
  /** Only policies that act, in the order of the report. */
  readonly policies: readonly PolicyComparison[];
}

/** One comparison a window. Makes all the intervals, so it is done once a page. */
export function windowComparisons(report: BenchReport): readonly WindowComparison[] {
  const acting = report.policies.flatMap(({ name, policy }) => (isActing(policy) ? [name] : []));
  const asking = modelSummaries(report);
  return windowLabels(report).map((label) => {
    const outcomes = windowOutcomes(report, { windowLabel: label, acting });
    const policies = [...outcomes.byPolicy].map(([policy, compared]): PolicyComparison => {
      const { sessions, units, basis } = outcomes;
      const differences = pairedDifferences(compared);
      const record = sessionRecord(outcomes.whereActed.get(policy) ?? []);
      const compares = { window: label, policy, basis, sessions: sessions.length, owners: ownersOf(units).size };
      return { ...compares, modelSummaries: asking.get(policy) ?? null, differences, record };
    });
    return { windowLabel: label, outcomes, policies };
  });
}

/** Over which sessions the differences are, and whether there are intervals. */
export function overWords({ outcomes, policies }: WindowComparison): string {
  const [first] = policies;
  if (first === undefined) return "";
  const sessions = formatNumberOf(first.sessions, "session");
  const over = `Over the ${sessions} that ${outcomes.basis === "outgrown" ? `${verbFor(first.sessions, "outgrow")} the window without compaction` : "a policy changed"}, of ${formatNumberOf(first.owners, "project")}`;
  return first.owners < FEWEST_OWNERS
    ? `${over}: too few for intervals, so every session has a row. ≈: less than a point.`
    : `${over}: 95 % intervals over repositories. ≈: the interval holds no difference.`;
}
