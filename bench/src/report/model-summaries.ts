import { addedWriters } from "../metrics/summary-writers.ts";
import type { BenchReport } from "../results.ts";
import { formatCount } from "./figures.ts";

/** Stands behind the name of a policy that pays for summaries by a model (docs/evidence.md, "Real summaries"). */
const MODEL_MARK = "*";

/** Requests for summaries by a model. */
interface ModelSummaries {
  readonly asked: number;
  /** Answered by the recorded agent's own, as they were or with a digest of what came after. */
  readonly recorded: number;
  /** Written by a model for this run. */
  readonly model: number;
}

/** By policy the summaries that it asked of a model; only policies that asked for one somewhere in the run. */
export function modelSummaries({
  policies,
  rows,
}: Pick<BenchReport, "policies" | "rows">): ReadonlyMap<string, ModelSummaries> {
  return new Map(
    policies.flatMap(({ name }) => {
      const own = rows.flatMap(({ policy, metrics }) => (policy === name && metrics !== null ? [metrics.summaries] : []));
      const { recorded, recordedAndDigest, digest, model, failed } = addedWriters(own);
      const asked = recorded + recordedAndDigest + digest + model + failed;
      return asked === 0 ? [] : [[name, { asked, recorded: recorded + recordedAndDigest, model }] as const];
    }),
  );
}

/** The report as people see it: the policies that pay for a model's summaries have the mark behind their names. */
export function markedReport(report: BenchReport): BenchReport {
  const asking = modelSummaries(report);
  const marked = (policy: string) => (asking.has(policy) ? `${policy}${MODEL_MARK}` : policy);
  return {
    ...report,
    policies: report.policies.map((each) => ({ ...each, name: marked(each.name) })),
    rows: report.rows.map((row) => (asking.has(row.policy) ? { ...row, policy: marked(row.policy) } : row)),
  };
}

/** The name of a policy without the mark that people see behind it. */
export function unmarkedName(policy: string): string {
  return policy.endsWith(MODEL_MARK) ? policy.slice(0, -MODEL_MARK.length) : policy;
}

/** Explains the mark, and says whose summaries each marked policy is scored by; `null` if no policy asked for one. */
export function modelSummaryNote(report: BenchReport): string | null {
  const asking = modelSummaries(report);
  if (asking.size === 0) return null;
  const total = (key: "asked" | "recorded" | "model") => [...asking.values()].reduce((sum, counts) => sum + counts[key], 0);
  const of = `Of ${formatCount(total("asked"))} summaries`;
  const written =
    report.summarizer === "digest" || report.summarizer === "recorded"
      ? `${of} ${formatCount(total("recorded"))} are the recorded agent's own; a digest stands in for the others.`
      : `${of} ${report.summarizer} wrote ${formatCount(total("model"))}.`;
  return `${MODEL_MARK} pays for summaries by a model, and is compared apart from policies that do not. ${written}`;
}
