import { join } from "node:path";
import { importFile, type Program, programPolicy } from "@plimsoll/bench";
import { cellOf, drive, prepareSession, type ReplayedCall } from "@plimsoll/bench/internal";
import { isHuman, type Message, textOf } from "@plimsoll/core";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { programOf, REFERENCE_PROGRAMS } from "./programs.ts";
import { ROOT } from "./sessions.ts";

// These need what `pnpm reference` installs, and some of them Node 22: what is not there is skipped and counted.
const programNamed = (likeness: string): Program | null => {
  const reference = REFERENCE_PROGRAMS.find((each) => each.likeness === likeness);
  return reference === undefined || reference.package.needsPlainConditions === true ? null : programOf(reference);
};

async function callsOf(program: Program | null): Promise<readonly ReplayedCall[]> {
  const [transcript] = await importFile(join(ROOT, "fixtures/sessions/bug-hunt.jsonl"));
  if (transcript === undefined || program === null) throw new Error("nothing to run");
  const session = prepareSession(transcript);
  const calls: ReplayedCall[] = [];
  const window = { kind: "working-room", tokens: 32_000 } as const;
  const cell = cellOf(session, { policy: programPolicy(program), window, catalog: MODEL_CATALOG, program });
  await drive(session, cell, (call) => calls.push(call));
  return calls;
}

for (const { likeness } of REFERENCE_PROGRAMS.filter((each) => each.likeness !== "langchain-context-editing")) {
  const program = programNamed(likeness);
  test.skipIf(program === null)(
    `the program of ${likeness} compacts a session by its own code and sends nothing invalid`,
    async () => {
      const calls = await callsOf(program);
      expect(calls.flatMap(({ compactions }) => compactions).length).toBeGreaterThan(0);
      expect(calls.flatMap(({ violations }) => violations)).toEqual([]);
    },
  );
}

const langchain = programNamed("langchain");
test.skipIf(langchain === null)(
  "LangChain takes the person's request with the rest, and loses calls that it did not count",
  async () => {
    const calls = await callsOf(langchain);
    expect(calls.some(({ lost }) => lost)).toBe(true);
    expect(calls.some(({ context }) => context.size > 0 && ![...context].some(isHuman))).toBe(true);
  },
);

/** A call and its result of 20,000 characters, 5,000 tokens by the middleware's count. */
const step = (place: number): readonly Message[] => [
  {
    role: "assistant",
    id: `a${place}`,
    origin: "model",
    parts: [{ type: "tool-call", callId: `c${place}`, toolName: "read", argumentsJson: "{}", paths: [] }],
    modelId: null,
    requestId: null,
    stopReason: "tool-calls",
    atMs: null,
  },
  {
    role: "tool-result",
    id: `r${place}`,
    callId: `c${place}`,
    toolName: "read",
    isError: false,
    category: "generic",
    parts: [{ type: "text", text: "x".repeat(20_000) }],
    atMs: null,
  },
];

const contextEditing = programNamed("langchain-context-editing");
test.skipIf(contextEditing === null).each([
  [19, 0],
  [20, 17],
])("of %i results LangChain's context editing clears %i, and the same copies stay", async (results, cleared) => {
  const setting = {
    limits: { contextWindowTokens: 200_000, maxOutputTokens: 8000 },
    overheadTokens: 0,
    summarize: () => Promise.reject(new Error("it asks for none")),
  };
  const run = await contextEditing?.start(setting);
  const messages = Array.from({ length: results }, (_, place) => step(place)).flat();
  const moment = { gate: "before-step", pending: [], reported: null, nowMs: null } as const;
  const sent = (await run?.at({ ...moment, messages })) ?? [];
  expect(sent.filter((message) => textOf(message) === "[cleared]").length).toBe(cleared);
  const again = (await run?.at({ ...moment, messages: sent })) ?? [];
  expect(again.every((message, place) => message === sent[place])).toBe(true);
});
