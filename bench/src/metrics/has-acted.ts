import type { InSession } from "../statistics.ts";

interface ComparedRow extends InSession {
  readonly metrics: {
    readonly economy: { readonly compactions: number; readonly failedCompactions: number; readonly promptTokens: number };
  };
}

/** The name of the policy that others are compared with. */
export const BASELINE_POLICY = "none";

/** True if the policy compacted, tried to, or sent other sizes than the baseline did (by truncation on arrival). */
export function hasActed(row: ComparedRow, baseline: ComparedRow | undefined): boolean {
  const { compactions, failedCompactions, promptTokens } = row.metrics.economy;
  if (compactions + failedCompactions > 0) return true;
  return baseline !== undefined && promptTokens !== baseline.metrics.economy.promptTokens;
}
