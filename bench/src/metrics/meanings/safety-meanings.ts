import type { SafetyMetrics } from "../../results.ts";
import type { MetricMeaning } from "../meaning.ts";

/** What the figures about requests that could not be sent mean. */
export const SAFETY_MEANINGS: Readonly<Record<keyof SafetyMetrics, MetricMeaning>> = {
  calls: {
    unit: "calls",
    better: "neither",
    method: "Model calls of the recordings that were replayed.",
    caveat: "Calls without a reply in the recording count too.",
  },
  overflowingRequests: {
    unit: "requests",
    better: "lower",
    method: "Requests above the window by the size model, each once, whether or not recovery helped.",
    caveat: "The size model has an error of its own; the validity section says how large.",
  },
  unrecoveredRequests: {
    unit: "requests",
    better: "lower",
    method:
      "Of the overflowing requests, those that still did not fit after recovery. They are charged as recorded and recall nothing.",
    caveat: "A real session would have ended at the first of them; the replay goes on.",
  },
  invalidRequests: {
    unit: "requests",
    better: "lower",
    method: "Requests that break the strictest rules of all known wires (pairs of call and result, order, empty content).",
    caveat: "Must be 0. Some providers would accept some of them.",
  },
  irreducibleRequests: {
    unit: "requests",
    better: "lower",
    method: "Requests of which the engine said that no edit can make them fit.",
    caveat: "Charged as recorded, recall 0. The window is too small for what must stay.",
  },
  emergencyCompactions: {
    unit: "compactions",
    better: "lower",
    method: "Compactions in the policy's emergency zone, in which only steps without a model run.",
    caveat: "Always 0 for policies that have no such zone.",
  },
  smallestHeadroomTokens: {
    unit: "tokens",
    better: "higher",
    method: "Input budget less the largest request that was sent, by the size model.",
    caveat: "Below zero: a request was above the input budget, and still within the window.",
  },
};
