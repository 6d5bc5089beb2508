import { isHuman, type Message, NONE_POLICY, textOf } from "@plimsoll/core";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { prepareSession } from "../open/prepared-session.ts";
import { cellOf } from "./cell.ts";
import { drive } from "./drive.ts";
import type { Program, ProgramMoment, ProgramSetting } from "./program.ts";
import { programPolicy } from "./program-run.ts";
import type { ReplayedCall } from "./replayed-call.ts";

const SESSION = prepareSession(madeTranscript({ turns: 8, toolCallsPerTurn: 6, resultChars: 4000, overheadTokens: 2000 }));

function program(
  at: (moment: ProgramMoment, setting: ProgramSetting) => Promise<readonly Message[]>,
  maxRecoveries = 0,
): Program {
  return {
    name: "made",
    runs: "made@1",
    likeness: null,
    maxRecoveries,
    resultCapChars: null,
    start: (setting) => ({ at: (moment) => at(moment, setting) }),
  };
}

async function callsOf(runs: Program): Promise<readonly ReplayedCall[]> {
  const calls: ReplayedCall[] = [];
  const cell = cellOf(SESSION, {
    policy: programPolicy(runs),
    window: { kind: "working-room", tokens: 24_000 },
    catalog: MODEL_CATALOG,
    program: runs,
  });
  await drive(SESSION, cell, (call) => calls.push(call));
  return calls;
}

const untouched = ({ messages }: ProgramMoment) => Promise.resolve(messages);
/** The turn that is going on, and nothing before it. */
const newestTurn = ({ messages }: ProgramMoment) => messages.slice(messages.findLastIndex(isHuman));

test("a program that does nothing loses what never cutting loses", async () => {
  const cell = cellOf(SESSION, {
    policy: NONE_POLICY,
    window: { kind: "working-room", tokens: 24_000 },
    catalog: MODEL_CATALOG,
  });
  const none: ReplayedCall[] = [];
  await drive(SESSION, cell, (call) => none.push(call));
  const calls = await callsOf(program(untouched));
  expect(calls.map(({ lost }) => lost)).toEqual(none.map(({ lost }) => lost));
  expect(calls.filter(({ lost }) => lost).length).toBeGreaterThan(0);
});

test.each([
  ["rejects", () => Promise.reject(new Error("broken"))],
  [
    "throws",
    () => {
      throw new Error("broken");
    },
  ],
])("a program that %s leaves the messages, and is counted", async (_, at) => {
  const calls = await callsOf(program(at));
  expect(calls.every(({ failedCompactions }) => failedCompactions > 0)).toBe(true);
  expect(calls.flatMap(({ compactions }) => compactions)).toEqual([]);
});

test.each([
  [0, "are lost"],
  [1, "are sent again"],
])("with %i recoveries rejected requests %s", async (maxRecoveries) => {
  const calls = await callsOf(
    program(
      (moment) => (moment.gate === "on-overflow" ? Promise.resolve(newestTurn(moment)) : untouched(moment)),
      maxRecoveries,
    ),
  );
  const overflowed = calls.filter((call) => call.overflowed);
  expect(overflowed.length).toBeGreaterThan(0);
  expect(overflowed.every(({ lost }) => lost === (maxRecoveries === 0))).toBe(true);
});

test("what it answers is sent, and its summary comes from the run's stand-in", async () => {
  const calls = await callsOf(
    program(async (moment, { summarize }) => {
      if (moment.gate !== "before-submit" || moment.messages.length < 20) return moment.messages;
      const text = await summarize({ messages: moment.messages, maxTokens: 1000, form: "serialised" });
      return [{ role: "user", id: "s", origin: "summary", parts: [{ type: "text", text }], atMs: null }];
    }),
  );
  const compacted = calls.filter(({ compactions }) => compactions.length > 0);
  expect(compacted.length).toBeGreaterThan(0);
  for (const { context, summaries } of compacted) {
    expect(context.at(0)).toMatchObject({ origin: "summary" });
    expect(summaries.map(({ writtenBy }) => writtenBy)).toEqual(["digest"]);
    expect(context.slice(0, 1).map(textOf).join()).toContain("## ");
  }
});

test("it is told what the provider reported of the request before", async () => {
  const told: (number | null)[] = [];
  const calls = await callsOf(
    program((moment) => {
      if (moment.gate === "before-step") told.push(moment.reported?.promptTokens ?? null);
      return Promise.resolve(newestTurn(moment));
    }),
  );
  expect(calls.some(({ lost }) => lost)).toBe(false);
  expect(told).toEqual([null, ...calls.slice(0, -1).map(({ promptTokens }) => promptTokens)]);
});
