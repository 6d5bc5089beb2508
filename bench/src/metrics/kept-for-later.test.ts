import { type Message, NONE_POLICY, PI_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { calling, human, reply, result, sessionStart } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { prepareObligations } from "../references/obligations.ts";
import { prepareSession } from "../replay/prepared-session.ts";
import { replay } from "../run/replay.ts";
import { createDecay } from "./decay.ts";
import { createObligationProbe } from "./obligations.ts";
import { createRereadProbe } from "./reread-risk.ts";

const USE = { reference: 0, distanceTokens: 0, latestOrdinal: 0, sourceStatement: 0, isCompactedAway: false };

describe("decay", () => {
  test("counts the compactions since a reference was last said", () => {
    const decay = createDecay();
    decay.use({ ...USE, latestOrdinal: 0 }, true);
    for (const ordinal of [10, 20, 30]) decay.compacted(ordinal);
    decay.use({ ...USE, latestOrdinal: 25 }, true);
    decay.use({ ...USE, latestOrdinal: 9 }, false);
    decay.use({ ...USE, latestOrdinal: 30 }, true);
    expect(decay.result()).toEqual([
      { compactions: 0, uses: 2, sourceEvidenced: 2 },
      { compactions: 1, uses: 1, sourceEvidenced: 1 },
      { compactions: 3, uses: 1, sourceEvidenced: 0 },
    ]);
  });

  test("puts everything beyond the fifth into one step", () => {
    const decay = createDecay();
    for (let ordinal = 1; ordinal <= 9; ordinal++) decay.compacted(ordinal);
    decay.use(USE, false);
    expect(decay.result()).toEqual([{ compactions: 5, uses: 1, sourceEvidenced: 0 }]);
  });
});

/** A call whose arguments are a list of tasks. */
function listing(id: string, tasks: readonly { readonly content: string; readonly status: string }[]): Message {
  const message = calling(id, [`call-${id}`], "");
  if (message.role !== "assistant") throw new Error("no assistant message");
  const parts = message.parts.map((part) =>
    part.type === "tool-call" ? { ...part, argumentsJson: JSON.stringify({ todos: tasks }) } : part,
  );
  return { ...message, parts };
}

describe("obligations", () => {
  const instruction = human("h1", "Never touch the file generated.ts, please.");
  const failing = calling("a1", ["c1"], "");
  const failed: Message = { ...result("r1", "c1", "error: cannot find module left-pad"), isError: true };
  const list = listing("a2", [
    { content: "Write the parser", status: "completed" },
    { content: "Write the printer", status: "in_progress" },
  ]);
  const messages = [instruction, failing, failed, list, reply("a3", "Going on.")];
  const entries = [sessionStart("test"), ...messages.map((message) => ({ type: "message", message }) as const)];
  const ordinalOf = (message: Message) => messages.findIndex(({ id }) => id === message.id);

  const after = (context: readonly Message[] | null) => {
    const probe = createObligationProbe(prepareObligations(entries, ordinalOf));
    probe.atCall(messages.length - 1, context);
    return probe.result();
  };

  test.each([
    ["all messages hold all", messages.slice(0, 4), [1, 1, 1]],
    [
      "a summary that quotes the person keeps that alone",
      [human("s", `They said: ${"Never touch the file generated.ts, please."}`)],
      [1, 0, 0],
    ],
    ["an error is kept by its end", [human("s", "It ended in: error: cannot find module left-pad")], [0, 1, 0]],
    ["a task in other words is not kept", [human("s", "The printer is to be written.")], [0, 0, 0]],
    ["a request that could not be sent keeps nothing", null, [0, 0, 0]],
  ])("%s", (_, context, [instructions, lastError, openTasks]) => {
    expect(after(context)).toEqual({
      instructions: { due: 1, kept: instructions },
      lastError: { due: 1, kept: lastError },
      openTasks: { due: 1, kept: openTasks },
    });
  });

  test("an error is due until the same call succeeds", () => {
    const again = [...messages.slice(0, 3), calling("a4", ["c4"], ""), result("r4", "c4", "fine"), reply("a5", "Done.")];
    const log = again.map((message) => ({ type: "message", message }) as const);
    const probe = createObligationProbe(prepareObligations(log, (message) => again.indexOf(message)));
    probe.atCall(3, []);
    probe.atCall(5, []);
    expect(probe.result().lastError).toEqual({ due: 1, kept: 0 });
  });
});

describe("re-read risk", () => {
  const touching = (id: string, access: "read" | "modify"): Message => {
    const message = calling(id, [`call-${id}`], "");
    if (message.role !== "assistant") throw new Error("no assistant message");
    const parts = message.parts.map((part) =>
      part.type === "tool-call" ? { ...part, paths: [{ path: "a.ts", access }] } : part,
    );
    return { ...message, parts };
  };
  const [read, text, change] = [touching("1", "read"), result("r1", "call-1", "content of a.ts"), touching("2", "modify")];
  const entries = [read, text, change].map((message) => ({ type: "message", message }) as const);

  test.each([
    ["the reading is in the context", [read, text], { touches: 1, atRisk: 0 }],
    ["the reading was cut", [read, result("r1", "call-1", "cut")], { touches: 1, atRisk: 1 }],
    ["the request could not be sent", null, { touches: 1, atRisk: 1 }],
  ])("if %s", (_, context, expected) => {
    const probe = createRereadProbe(entries);
    probe.atCall(read, []);
    probe.atCall(change, context);
    expect(probe.result()).toEqual(expected);
  });
});

describe("a replay", () => {
  const session = prepareSession(madeTranscript({ turns: 10, toolCallsPerTurn: 6, resultChars: 6000, overheadTokens: 2000 }));
  const run = (policy: typeof PI_POLICY) => replay(session, { policy, window: { kind: "working-room", tokens: 32_000 } });

  test.each([[PI_POLICY], [SVEN_POLICY]])("tells each compaction, and its samples add up to the prompts", async (policy) => {
    const { compactions, composition, series, metrics } = await run(policy);
    expect(compactions.length).toBe(metrics?.economy.compactions);
    expect(compactions.every(({ messagesBefore, messagesAfter }) => messagesAfter < messagesBefore)).toBe(true);
    expect(metrics?.economy.marginSpentRatio).toBeGreaterThan(0);
    for (const { call, tokens } of composition.samples) {
      const sum = tokens.reduce((total, part) => total + part, 0);
      expect(Math.abs(sum - (series[call]?.promptTokens ?? 0))).toBeLessThan(composition.kinds.length);
    }
  });

  test("without compaction nothing decays and nothing is at risk", async () => {
    const { metrics, compactions } = await replay(session, {
      policy: NONE_POLICY,
      window: { kind: "working-room", tokens: 10 ** 6 },
    });
    expect(compactions).toEqual([]);
    expect(metrics?.decay.map((step) => step.compactions)).toEqual([0]);
    expect(metrics?.obligations.instructions.kept).toBe(metrics?.obligations.instructions.due);
    expect(metrics?.economy.marginSpentRatio).toBeNull();
  });
});
