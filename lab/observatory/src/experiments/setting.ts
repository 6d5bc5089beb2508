import type { Scenario } from "@plimsoll/simulator";
import type { ActsBetween } from "../facts.ts";
import type { Played, PlayRequest } from "../play.ts";
import type { MainStep, Program, StatedLimits } from "../program.ts";

/** The setting of an experiment: a program, and how it is played. */
export interface Lab {
  readonly program: Program;
  /** Plays the program; the person at the terminal sees `name`. */
  play(name: string, request: PlayRequest): Promise<Played>;
}

/**
 * Plays a session to its end, so that facts can be read off it.
 *
 * @throws Error if it was ended after too long a time: its later acts are unknown.
 */
export async function playToItsEnd(lab: Lab, name: string, request: PlayRequest): Promise<Played> {
  const played = await lab.play(name, request);
  if (played.endedBy === "time")
    throw new Error(`${name}: was ended after too long a time: run it on a machine that is less busy`);
  return played;
}

/** The window of experiments with real text: small, so that it fills quickly, and large enough for every program's own text. Chosen. */
const SMALL_WINDOW_TOKENS = 64_000;
const SMALL_OUTPUT_TOKENS = 8_000;

/** The window of experiments with real text, and the factor of counts that fills a window that cannot be set. */
export function smallLimits({ windows }: Program): { readonly limits: StatedLimits; readonly tokenFactorRatio: number } {
  if (windows.kind === "fixed")
    return { limits: windows.limits, tokenFactorRatio: Math.floor(windows.limits.windowTokens / SMALL_WINDOW_TOKENS) };
  const outputTokens = windows.tellsOutput ? SMALL_OUTPUT_TOKENS : null;
  return { limits: { windowTokens: SMALL_WINDOW_TOKENS, outputTokens }, tokenFactorRatio: 1 };
}

/** Windows and outputs whose thresholds are looked for. */
export function statedLimits({ windows }: Program): readonly StatedLimits[] {
  if (windows.kind === "fixed") return [windows.limits];
  return STATED.map((limits) => (windows.tellsOutput ? limits : { ...limits, outputTokens: null }));
}

const STATED: readonly StatedLimits[] = [
  { windowTokens: 200_000, outputTokens: 32_000 },
  { windowTokens: 128_000, outputTokens: 16_000 },
];

/** The person's request, if nothing depends on it. */
export const PERSON = "Please go on with the log files, one after the other, and tell me when all are done.";

/** The person's messages of a session of many turns; each differs from all others. */
export function turns(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${PERSON} This is request ${index + 1}.`);
}

/**
 * The beginning of a session if its usage is reported: about 24,000 tokens of real text. Some programs keep 20,000 in any case, and do nothing while
 * there is not more. Usage is counted during it.
 */
export function fill(between: ActsBetween): MainStep {
  const step = between === "turns" ? { say: { tokens: FILL_TOKENS } } : { call: { outputTokens: FILL_TOKENS } };
  return { ...step, usage: "counted", repeat: FILL_STEPS };
}

export const FILL_STEPS = 6;
const FILL_TOKENS = 4_000;

/** Answers to side requests. The summary is in the tags that some programs look for, and says nothing; the classification finds nothing wrong and nothing simple. */
export const SIDE: NonNullable<Scenario["side"]> = {
  title: { text: "Log files" },
  summary: {
    text: `<state_snapshot>\n${Array.from({ length: 100 }, (_, index) => `Line ${index + 1} of a summary says nothing.`).join("\n")}\n</state_snapshot>`,
  },
  classification: {
    text: '{"unproductive_state_analysis":"none","unproductive_state_confidence":0,"complexity_reasoning":"none","complexity_score":50}',
  },
  other: { text: "Nothing to add." },
};
