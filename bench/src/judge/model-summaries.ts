import { addedWriters } from "../metrics/summary-writers.ts";
import type { BenchReport } from "../results.ts";

/** Requests for summaries by a model. */
export interface ModelSummaries {
  readonly asked: number;
  /** Answered by the recorded agent's own, unchanged or with a digest of the later messages. */
  readonly recorded: number;
  readonly model: number;
}

/** By policy the summaries that it asked of a model; only policies that asked for one somewhere in the run (docs/evidence.md, "Real summaries"). */
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
