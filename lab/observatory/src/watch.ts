import type { Scenario } from "@plimsoll/simulator";
import { compactionFacts, SUMMARY } from "./compactions.ts";
import { type Lab, PERSON, playToItsEnd, SIDE, smallLimits, statedLimits, turns } from "./experiments/setting.ts";
import { missingThreshold, reportedThreshold } from "./experiments/thresholds.ts";
import type { ActsBetween, ProgramFacts, ThresholdFacts } from "./facts.ts";
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
  };
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
