import type { Scenario } from "@plimsoll/simulator";
import { compactionsIn, SUMMARY } from "../compactions.ts";
import type { ActsBetween, ThresholdFacts } from "../facts.ts";
import type { MainStep, StatedLimits } from "../program.ts";
import { FILL_STEPS, fill, type Lab, PERSON, playToItsEnd, SIDE, smallLimits, turns } from "./setting.ts";

/** How closely a threshold is found. */
const GRID_TOKENS = 200;

/** The first pass goes from here to the window, in so many steps. Chosen. */
const FIRST_RATIO = 0.4;
const COARSE_STEPS = 24;

/** Sizes are tried in a row: from the first, by steps. */
interface Ramp {
  readonly fromTokens: number;
  readonly stepTokens: number;
  readonly count: number;
}

/** The last size at which nothing happened and the first at which the program acted; `null` for one that was not seen. */
interface Found {
  readonly silentTokens: number | null;
  readonly actsTokens: number | null;
}

const NEVER: Found = { silentTokens: null, actsTokens: null };

/** A threshold, and where the program acts. */
export interface FoundThreshold {
  readonly between: ActsBetween;
  readonly facts: ThresholdFacts;
}

/**
 * Finds its threshold: a session's usage grows from step to step, and, if it does nothing, from turn to turn. Only as it was seen to act, if that is known.
 */
export async function reportedThreshold(lab: Lab, limits: StatedLimits, known: ActsBetween | null): Promise<FoundThreshold> {
  const unknown = lab.program.messages === "one" ? (["steps"] as const) : (["steps", "turns"] as const);
  for (const between of known === null ? unknown : [known]) {
    if (between === "never") continue;
    const found = await rampTwice(limits, (ramp, pass) => reportedRamp(lab, { limits, between, ramp, pass }));
    if (found.actsTokens !== null) return { between, facts: { ...limits, usage: "reported", ...found } };
  }
  return { between: "never", facts: { ...limits, usage: "reported", ...NEVER } };
}

async function rampTwice(limits: StatedLimits, play: (ramp: Ramp, pass: string) => Promise<Found>): Promise<Found> {
  const onGrid = (tokens: number) => Math.floor(tokens / GRID_TOKENS) * GRID_TOKENS;
  const fromTokens = onGrid(limits.windowTokens * FIRST_RATIO);
  const stepTokens = onGrid((limits.windowTokens - fromTokens) / COARSE_STEPS);
  const coarse = await play({ fromTokens, stepTokens, count: COARSE_STEPS + 1 }, "coarse");
  if (coarse.actsTokens === null || coarse.silentTokens === null) return coarse;
  if (stepTokens <= GRID_TOKENS * MOST_FINE_STEPS) return fineRamp(coarse, GRID_TOKENS, play);
  // A window of a million tokens takes a pass more.
  const middle = await fineRamp(coarse, onGrid(stepTokens / MOST_FINE_STEPS) + GRID_TOKENS, play);
  return middle.actsTokens === null ? middle : fineRamp(middle, GRID_TOKENS, play);
}

/** More steps than this are made in two passes. */
const MOST_FINE_STEPS = 40;

function fineRamp({ silentTokens, actsTokens }: Found, stepTokens: number, play: (ramp: Ramp, pass: string) => Promise<Found>) {
  const fromTokens = silentTokens ?? 0;
  return play({ fromTokens, stepTokens, count: Math.ceil(((actsTokens ?? fromTokens) - fromTokens) / stepTokens) + 1 }, "fine");
}

interface ReportedRamp {
  readonly limits: StatedLimits;
  readonly between: "steps" | "turns";
  readonly ramp: Ramp;
  readonly pass: string;
}

async function reportedRamp(lab: Lab, { limits, between, ramp, pass }: ReportedRamp): Promise<Found> {
  const usage = { promptTokens: ramp.fromTokens - FILL_STEPS * ramp.stepTokens, growTokens: ramp.stepTokens };
  const step: MainStep = between === "steps" ? { call: { outputTokens: 20 }, usage } : { say: { text: "Done." }, usage };
  const scenario: Scenario = {
    name: "usage that grows",
    main: [fill(between), { ...step, repeat: ramp.count }],
    endAfter: { kind: SUMMARY },
    side: SIDE,
  };
  const prompts = between === "steps" ? [PERSON] : turns(FILL_STEPS + ramp.count + 1);
  const { exchanges } = await playToItsEnd(lab, `usage that grows from ${between} to ${between}, ${pass}`, {
    scenario,
    limits,
    prompts,
    atMostRequests: 3 * (FILL_STEPS + ramp.count) + 20,
  });
  const [first] = compactionsIn(exchanges);
  if (first === undefined) return NEVER;
  const told = exchanges
    .filter(({ kind, index }) => kind === "main" && index <= first.before.index)
    .flatMap(({ toldPromptTokens }) =>
      toldPromptTokens !== null && toldPromptTokens >= ramp.fromTokens ? [toldPromptTokens] : [],
    );
  return { actsTokens: told.at(-1) ?? null, silentTokens: told.at(-2) ?? null };
}

/** Text of so many tokens a step, in a first pass, and in steps that are close. */
const BIG_TOKENS = 2_000;
const CLOSE_TOKENS = 100;
const CLOSE_STEPS = 40;

/** Big steps that are left out in the second pass: results of a program's own tools are not of quite the same size twice. */
const BEFORE_STEPS = 2;

/** The most big steps: past the window by a quarter. */
const MOST_BIG_STEPS = 40;

/** Finds its threshold if replies report no usage: real text, and sizes as the simulator counts them. */
export async function missingThreshold(lab: Lab, between: ActsBetween): Promise<ThresholdFacts> {
  const { limits, tokenFactorRatio } = smallLimits(lab.program);
  const playSteps = async (
    pass: string,
    steps: readonly Extract<MainStep, { readonly call: unknown } | { readonly say: unknown }>[],
  ) => {
    const scenario: Scenario = {
      name: "usage that is missing",
      tokenFactorRatio,
      main: steps,
      usage: "missing",
      endAfter: { kind: SUMMARY },
      side: SIDE,
    };
    const count = steps.reduce((sum, { repeat }) => sum + (repeat ?? 1), 0);
    const prompts = between === "turns" ? turns(count + 1) : [PERSON];
    return playToItsEnd(lab, `no usage, ${pass}`, { scenario, limits, prompts, atMostRequests: 3 * count + 20 });
  };
  const stepOf = (tokens: number, repeat: number) =>
    between === "turns" ? { say: { tokens }, repeat } : { call: { outputTokens: tokens }, repeat };
  const coarse = await playSteps("coarse", [stepOf(BIG_TOKENS, MOST_BIG_STEPS)]);
  const [first] = compactionsIn(coarse.exchanges);
  if (first === undefined) return { ...limits, usage: "missing", ...NEVER };
  const bigSteps =
    coarse.exchanges.filter(({ kind, index }) => kind === "main" && index <= first.before.index).length - BEFORE_STEPS;
  const steps = [...(bigSteps > 0 ? [stepOf(BIG_TOKENS, bigSteps)] : []), stepOf(CLOSE_TOKENS, CLOSE_STEPS)];
  const { exchanges } = await playSteps("fine", steps);
  const [close] = compactionsIn(exchanges);
  if (close === undefined) return { ...limits, usage: "missing", ...NEVER };
  const mains = exchanges.filter(({ kind, index }) => kind === "main" && index <= close.before.index);
  const [before, last] = [mains.at(-2)?.promptTokens ?? 0, mains.at(-1)?.promptTokens ?? 0];
  // The request that it did not send would have been one step larger than the last that it sent.
  const onGrid = (tokens: number) => Math.round(tokens / GRID_TOKENS) * GRID_TOKENS;
  return {
    ...limits,
    usage: "missing",
    silentTokens: onGrid(last),
    actsTokens: onGrid(last + Math.max(last - before, GRID_TOKENS)),
  };
}
