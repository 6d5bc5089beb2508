import { BASELINE_POLICY } from "../metrics/relative.ts";

/** The block that the page's script reads first; each session has a block of its own. */
export interface ChartIndex {
  /** The sessions' names on pages. */
  readonly sessions: readonly string[];
  readonly windows: readonly string[];
  readonly policies: readonly ChartPolicy[];
  readonly figures: readonly ChartFigure[];
  /** The session in which most was compacted: the one to look at first. */
  readonly busiestSession: number;
  /** The window to look at first: the first in which a policy can be recommended. */
  readonly firstWindow: number;
  /** For each window the policies (by index) whose lines are drawn before a reader chooses. */
  readonly shown: readonly (readonly number[])[];
  /** For each window the policy to look at first. */
  readonly picked: readonly number[];
  /** The details that the page leaves out because there is no room; `null` if none. */
  readonly leftOut: string | null;
}

/** A policy's name and the number of its colour; 0 is the baseline's. If colours come round again, lines are dashed. */
export interface ChartPolicy {
  readonly name: string;
  readonly colour: number;
  readonly round: number;
}

/** A figure of the table beside a chart. */
interface ChartFigure {
  readonly name: string;
  readonly format: "count" | "tokens" | "percent" | "usd";
}

/** Colours that the style sheet has beside the baseline's. */
const COLOUR_COUNT = 8;

/** The colour of each policy, the same in every chart of a page; if colours come round again, lines are dashed. */
export function policyColours(policies: readonly string[]): readonly ChartPolicy[] {
  const others = policies.filter((name) => name !== BASELINE_POLICY);
  return policies.map((name) => {
    if (name === BASELINE_POLICY) return { name, colour: 0, round: 0 };
    const position = others.indexOf(name);
    return { name, colour: 1 + (position % COLOUR_COUNT), round: Math.floor(position / COLOUR_COUNT) };
  });
}
