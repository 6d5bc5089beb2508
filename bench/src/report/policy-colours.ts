import { BASELINE_POLICY } from "../metrics/relative.ts";
import type { ChartPolicy } from "./chart-index.ts";

/** Colours that the style sheet has beside the baseline's. */
const COLOUR_COUNT = 8;

/** The colour of each policy, the same in every chart of a page; where colours come round again, lines are dashed. */
export function policyColours(policies: readonly string[]): readonly ChartPolicy[] {
  const others = policies.filter((name) => name !== BASELINE_POLICY);
  return policies.map((name) => {
    if (name === BASELINE_POLICY) return { name, colour: 0, round: 0 };
    const position = others.indexOf(name);
    return { name, colour: 1 + (position % COLOUR_COUNT), round: Math.floor(position / COLOUR_COUNT) };
  });
}
