import type { Scenario } from "@plimsoll/simulator";
import { compactionFacts, requestRuns, SUMMARY } from "./compactions.ts";
import {
  FILL_STEPS,
  fill,
  type Lab,
  PERSON,
  playToItsEnd,
  SIDE,
  smallLimits,
  statedLimits,
  turns,
} from "./experiments/setting.ts";
import { missingThreshold, reportedThreshold } from "./experiments/thresholds.ts";
import type { ActsBetween, EndFacts, OverflowFacts, ProgramFacts, ThresholdFacts } from "./facts.ts";
import type { Played } from "./play.ts";
import type { MainStep } from "./program.ts";

/** Makes all experiments with a program; `recorded` is the day, as `2026-11-22`. */
export async function watch(lab: Lab, recorded: string): Promise<ProgramFacts> {
  const { name, packageName, version, licence } = lab.program;
  const thresholds: ThresholdFacts[] = [];
  let actsBetween: ActsBetween | null = null;
  for (const limits of statedLimits(lab.program)) {
    const found = await reportedThreshold(lab, limits, actsBetween);
    actsBetween ??= found.between;
    thresholds.push(found.facts);
  }
  const between = actsBetween ?? "never";
  thresholds.push(await missingThreshold(lab, between));
  const { wire, overhead, compactions } = await compactionsInARow(lab, between);
  const loop = await loopWhileHigh(lab, between);
  return {
    program: name,
    packageName,
    version,
    licence,
    wire,
    recorded,
    // A program that measures its messages itself ignores reported usage; its compactions show where it acts.
    actsBetween: between === "never" && compactions.length > 0 ? "steps" : between,
    overhead,
    thresholds,
    compactions,
    loop,
    overflows: await overflows(lab),
  };
}

function endOf({ exchanges, endedBy, exitCode, told }: Played): EndFacts {
  return { requests: requestRuns(exchanges), endedBy, exitCode, told };
}

/** Main answers after which usage falls again, and requests after which a program that goes on is ended. */
const LOOP_MAINS = 12;
const LOOP_REQUESTS = 60;

/** Usage stays high in spite of the program's compactions: does it end? */
async function loopWhileHigh(lab: Lab, between: ActsBetween): Promise<EndFacts> {
  const { limits, tokenFactorRatio } = smallLimits(lab.program);
  const isTurns = between === "turns";
  const step: MainStep = isTurns ? { say: { text: "Done." } } : { call: { outputTokens: 50 } };
  const played = await lab.play("usage that stays high", {
    scenario: {
      name: "usage that stays high",
      tokenFactorRatio,
      main: [fill(between), { ...step, repeat: LOOP_MAINS }],
      usage: { atLeastTokens: Math.round(limits.windowTokens * HIGH_RATIO) },
      atMostMain: FILL_STEPS + LOOP_MAINS,
      side: SIDE,
    },
    limits,
    prompts: isTurns ? turns(FILL_STEPS + LOOP_MAINS) : [PERSON],
    atMostRequests: LOOP_REQUESTS,
  });
  return endOf(played);
}

/** High: nearly the window. Chosen. */
const HIGH_RATIO = 0.97;

/** The main request that is refused, and the size of results before it. */
const REFUSED_REQUEST = 6;
const RESULT_TOKENS = 2_000;

/** The provider says that a request is too long: once, twice in a row, and until requests are smaller than half of it. */
async function overflows(lab: Lab): Promise<readonly OverflowFacts[]> {
  const { limits, tokenFactorRatio } = smallLimits(lab.program);
  const refuse = async (refused: OverflowFacts["refused"], overflow: NonNullable<Scenario["overflow"]>) => {
    const played = await lab.play(`too long ${refused}`, {
      scenario: {
        name: `too long ${refused}`,
        tokenFactorRatio,
        main: [{ call: { outputTokens: RESULT_TOKENS }, repeat: REFUSED_REQUEST + 3 }],
        overflow,
        side: SIDE,
      },
      limits,
      prompts: [PERSON],
      atMostRequests: LOOP_REQUESTS,
    });
    return { facts: { refused, ...endOf(played) }, played };
  };
  const once = await refuse("once", [{ kind: "main", request: REFUSED_REQUEST }]);
  const twice = await refuse("twice", [{ kind: "main", request: REFUSED_REQUEST, times: 2 }]);
  const mains = once.played.exchanges.filter(({ kind, promptTokens }) => kind === "main" && promptTokens !== null);
  const [first, last] = [mains[0]?.promptTokens ?? 0, mains[REFUSED_REQUEST - 1]?.promptTokens ?? 0];
  const smaller = await refuse("until smaller", [{ aboveTokens: Math.round((first + last) / 2) }]);
  return [once.facts, twice.facts, smaller.facts];
}

/** Compactions in a row that are looked at. */
const COMPACTIONS = 5;

/** Text that a call prints, and calls in all; more than any program needs for five compactions of a small window. Chosen. */
const CALL_TOKENS = 3_000;
const CALLS = 110;
const TURNS = 28;

/** Ten constraints: four of the person's, two of the project's rules, two in a file that is read, two that the model says. */
const CONSTRAINTS: NonNullable<Scenario["probes"]> = [
  { id: "person 1", text: "never touch the harbour folder" },
  { id: "person 2", text: "keep every date in the form of the log" },
  { id: "person 3", text: "write no line longer than ninety letters" },
  { id: "person 4", text: "ask before anything is deleted" },
  { id: "rules 1", text: "all names of ships are in capitals" },
  { id: "rules 2", text: "depths are in fathoms" },
  { id: "read 1", text: "the third anchor must not be used" },
  { id: "read 2", text: "the east lamp is out of order" },
  { id: "model 1", text: "I will count the gulls as birds" },
  { id: "model 2", text: "I leave the tide tables for last" },
];

/** The files that calls read, by the number of the call. Their content shows whether a file is put back, too: it was read long before. */
const NOTES: { readonly [name: string]: string } = {
  "notes-2.txt": "Notes on anchors: the third anchor must not be used before noon.\n",
  "notes-3.txt": "Notes on lamps: the east lamp is out of order until spring.\n",
};

const FIRST_MESSAGE = `${PERSON} Please ${CONSTRAINTS.slice(0, 4)
  .map(({ text }) => text)
  .join(", ")}.`;

const RULES = `# Rules\n\n- ${CONSTRAINTS[4]?.text}\n- ${CONSTRAINTS[5]?.text}\n`;

/** Plays a session with five compactions at real sizes, and describes each of them. */
export async function compactionsInARow(
  lab: Lab,
  between: ActsBetween,
): Promise<Pick<ProgramFacts, "compactions" | "overhead" | "wire">> {
  const { limits, tokenFactorRatio } = smallLimits(lab.program);
  const begin: readonly MainStep[] = [
    { call: { outputTokens: 50, text: CONSTRAINTS[8]?.text ?? "" } },
    { call: { outputTokens: 50, use: "read", text: CONSTRAINTS[9]?.text ?? "" } },
    { call: { outputTokens: 50, use: "read" } },
  ];
  const print: MainStep = { call: { outputTokens: CALL_TOKENS } };
  const turn: MainStep = { steps: [{ ...print, repeat: 3 }, { say: { text: "That is one part." } }] };
  const isTurns = between === "turns";
  const hasSecond = isTurns || lab.program.messages === "several";
  const main = [
    ...begin,
    ...(hasSecond ? [{ say: { text: "I have begun." } }] : []),
    isTurns ? { ...turn, repeat: TURNS } : { ...print, repeat: CALLS },
  ];
  const prompts = [FIRST_MESSAGE, ...turns(isTurns ? TURNS : 1).slice(hasSecond ? 0 : 1)];
  const { exchanges } = await playToItsEnd(lab, "five compactions in a row", {
    scenario: {
      name: "five compactions in a row",
      tokenFactorRatio,
      main,
      probes: CONSTRAINTS,
      endAfter: { kind: SUMMARY, times: COMPACTIONS, mains: 1 },
      side: SIDE,
    },
    limits,
    prompts,
    files: { ...NOTES, [lab.program.rulesFile]: RULES },
    atMostRequests: 3 * CALLS,
  });
  const [first] = exchanges.filter(({ kind }) => kind === "main");
  return {
    wire: first?.wire ?? "none",
    overhead: {
      toolCount: first?.toolCount ?? 0,
      toolsHash: first?.toolsHash ?? "",
      systemTokens: Math.round((first?.systemTokens ?? 0) / 100) * 100,
      systemHash: first?.systemHash ?? "",
    },
    compactions: compactionFacts(exchanges).slice(0, COMPACTIONS),
  };
}
