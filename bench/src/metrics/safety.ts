import type { Cell } from "../replay/cell.ts";
import type { SafetyMetrics } from "../results.ts";
import type { Metric } from "./metric.ts";

/** Requests that could not be sent as they were, and how near the others came to the input budget. */
export function createSafety(cell: Pick<Cell, "inputBudgetTokens">): Metric<SafetyMetrics> {
  const count = {
    calls: 0,
    overflowingRequests: 0,
    unrecoveredRequests: 0,
    invalidRequests: 0,
    irreducibleRequests: 0,
    emergencyCompactions: 0,
  };
  let smallestHeadroomTokens: number | null = null;
  return {
    add: (sent) => {
      count.calls += 1;
      if (sent.overflowed) count.overflowingRequests += 1;
      if (sent.lost) count.unrecoveredRequests += 1;
      if (sent.irreducible) count.irreducibleRequests += 1;
      if (sent.violations.length > 0) count.invalidRequests += 1;
      count.emergencyCompactions += sent.compactions.filter(({ record }) => record.reason === "emergency").length;
      if (sent.lost) return;
      const headroomTokens = cell.inputBudgetTokens - sent.promptTokens;
      smallestHeadroomTokens = Math.min(headroomTokens, smallestHeadroomTokens ?? headroomTokens);
    },
    result: () => ({ ...count, smallestHeadroomTokens }),
  };
}
