import { z } from "zod";
import type { Cell } from "../drive/cell.ts";
import type { ReplayedCall } from "../drive/replayed-call.ts";
import { summed } from "../statistics.ts";
import { inTable, type Metric, type MetricFigure, type Recorder } from "./metric.ts";

/** Requests that could not be sent as they were. */
export interface SafetyMetrics {
  readonly calls: number;
  /** Requests above the window, each of them once, whether or not recovery helped. */
  readonly overflowingRequests: number;
  /** Of those, requests that still did not fit after recovery: the session would have ended here. */
  readonly unrecoveredRequests: number;
  /** Requests with a wire violation; must be 0. */
  readonly invalidRequests: number;
  readonly irreducibleRequests: number;
  readonly emergencyCompactions: number;
  readonly smallestHeadroomTokens: number | null;
}

const count = z.int().nonnegative();

const NONE = {
  calls: 0,
  overflowingRequests: 0,
  unrecoveredRequests: 0,
  invalidRequests: 0,
  irreducibleRequests: 0,
  emergencyCompactions: 0,
};

/** Sums over the sessions; the headroom is the smallest of them. */
export const SAFETY: Metric<"safety", SafetyMetrics, SafetyMetrics, keyof SafetyMetrics> = {
  id: "safety",
  schema: z.strictObject({
    calls: count,
    overflowingRequests: count,
    unrecoveredRequests: count,
    invalidRequests: count,
    irreducibleRequests: count,
    emergencyCompactions: count,
    smallestHeadroomTokens: z.number().nullable(),
  }),
  measure: ({ cell }) => createSafety(cell),
  pool: ({ results }) => {
    const headrooms = results.flatMap(({ smallestHeadroomTokens }) => smallestHeadroomTokens ?? []);
    const counts = results.map(({ smallestHeadroomTokens: _, ...counted }) => counted);
    return { ...summed(NONE, counts), smallestHeadroomTokens: headrooms.length === 0 ? null : Math.min(...headrooms) };
  },
  figures: {
    calls: {
      unit: "calls",
      better: "neither",
      method: "Model calls of the recordings that were replayed.",
      caveat: "Calls without a reply in the recording count too.",
      value: ({ calls }) => calls,
      format: "count",
      columns: [inTable("requests", "requests", "calls"), inTable("chart", "requests", "calls")],
    },
    overflowingRequests: failures({
      method: "Requests above the window by the size model, each once, whether or not recovery helped.",
      caveat: "The size model has its own error; the table of sessions shows it.",
      value: ({ overflowingRequests }) => overflowingRequests,
      columns: [inTable("requests", "above the window", "all"), inTable("chart", "requests", "too large")],
    }),
    unrecoveredRequests: failures({
      method:
        "Of the overflowing requests, those that still did not fit after recovery. They are charged as recorded and recall nothing.",
      caveat: "A real session would have ended at the first of them; the replay continues.",
      value: ({ unrecoveredRequests }) => unrecoveredRequests,
      columns: [inTable("requests", "above the window", "not recovered")],
    }),
    invalidRequests: failures({
      method: "Requests that break the strictest rules of all known wires (pairs of call and result, order, empty content).",
      caveat: "Must be 0. Some providers would accept some of them.",
      value: ({ invalidRequests }) => invalidRequests,
      columns: [inTable("requests", "requests", "invalid"), inTable("chart", "requests", "invalid")],
    }),
    irreducibleRequests: failures({
      method: "Requests that no edit can make fit, according to the engine.",
      caveat: "Charged as recorded, recall 0. The window is too small for the parts that must stay.",
      value: ({ irreducibleRequests }) => irreducibleRequests,
      columns: [inTable("requests", "above the window", "irreducible")],
    }),
    emergencyCompactions: {
      unit: "compactions",
      better: "lower",
      method: "Compactions in the policy's emergency zone, in which only steps without a model run.",
      caveat: "Always 0 for policies that have no such zone.",
      value: ({ emergencyCompactions }) => emergencyCompactions,
      format: "count",
      columns: [inTable("requests", "compactions", "emergency")],
    },
    smallestHeadroomTokens: {
      unit: "tokens",
      better: "higher",
      method: "Input budget less the largest request that was sent, by the size model.",
      caveat: "Below zero: above the input budget, but within the window. No figure if a request stayed above the window.",
      value: ({ unrecoveredRequests, smallestHeadroomTokens }) => (unrecoveredRequests > 0 ? null : smallestHeadroomTokens),
      format: "tokens",
      columns: [inTable("requests", "tokens", "smallest headroom")],
    },
  },
};

/** A count of requests, each of them a failure. */
function failures(
  figure: Pick<MetricFigure<SafetyMetrics>, "method" | "caveat" | "value" | "columns">,
): MetricFigure<SafetyMetrics> {
  return { unit: "requests", better: "lower", ...figure, format: "count", isFailure: true };
}

/** Counts the requests that could not be sent as they were, and how near the others came to the input budget. */
function createSafety(cell: Pick<Cell, "inputBudgetTokens">): Recorder<SafetyMetrics, ReplayedCall> {
  const total = { ...NONE };
  let smallestHeadroomTokens: number | null = null;
  return {
    add: (sent) => {
      total.calls += 1;
      if (sent.overflowed) total.overflowingRequests += 1;
      if (sent.lost) total.unrecoveredRequests += 1;
      if (sent.irreducible) total.irreducibleRequests += 1;
      if (sent.violations.length > 0) total.invalidRequests += 1;
      total.emergencyCompactions += sent.compactions.filter(({ record }) => record.reason === "emergency").length;
      if (sent.lost) return;
      const headroomTokens = cell.inputBudgetTokens - sent.promptTokens;
      smallestHeadroomTokens = Math.min(headroomTokens, smallestHeadroomTokens ?? headroomTokens);
    },
    result: () => ({ ...total, smallestHeadroomTokens }),
  };
}
