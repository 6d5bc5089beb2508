import { describe, expect, test } from "vitest";
import { askingStrategy } from "../../testing/asking-strategy.ts";
import { SMALL_POLICY, smallSession, turns, words } from "../../testing/small-session.ts";
import type { SessionEntry } from "../entry.ts";
import type { KeepRuleSpec } from "../keep/built-in-keep-rules.ts";
import { type Message, textOf } from "../message/message.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { SessionOptions } from "../session/session.ts";
import type { StrategyInput } from "../strategy/strategy.ts";
import { assistant, calling, callPart, human, logOf, reply, result, sessionStart, usageEntry } from "../testing/builders.ts";
import { utf8Bytes } from "../text.ts";
import type { FitInput } from "./fit-input.ts";

/** Returns the input of a strategy at a compaction of eight turns of 1,000 tokens in a window of 10,000, and the text of the notice that a later one leaves. */
async function given(
  input: Partial<FitInput> = {},
  options: Partial<SessionOptions> = {},
  changes: Partial<EnginePolicy> = {},
): Promise<{ readonly input: StrategyInput | undefined; readonly facts: string | undefined }> {
  const { kinds, given: inputs } = askingStrategy();
  const policy: EnginePolicy = {
    ...SMALL_POLICY,
    strategies: [{ kind: "ask" }, { kind: "drop-oldest", amount: "all-but-keep", notice: "count" }],
    ...changes,
  };
  const { fit, manager } = smallSession([], { policy, kinds, entries: logOf(turns(8)), ...options });
  await fit(input);
  const notice = manager.context().messages.find((message) => message.role === "user" && message.origin === "notice");
  const part = notice?.parts[1];
  return { input: inputs[0], facts: part?.type === "text" ? part.text : undefined };
}

/** A call that changed a file with a long name. */
const CHANGE: readonly Message[] = [
  assistant("c", [callPart("c", "edit", { paths: [{ path: `src/${"long/".repeat(50)}a.ts`, access: "modify" }] })]),
  result("r-c", "c", "ok"),
];

describe("a strategy is told", () => {
  test.each<[string, Partial<FitInput>, StrategyInput["cause"]]>([
    ["that the context is too large", {}, "size"],
    ["that a provider said so", { gate: "on-overflow", recovery: 0 }, "overflow"],
    ["that somebody asked for it", { now: { reason: "manual", keep: null } }, "demand"],
    ["that somebody asked for it, whatever the gate", { gate: "on-overflow", now: { reason: "manual", keep: null } }, "demand"],
  ])("%s", async (_, more, cause) => {
    expect((await given(more)).input?.cause).toBe(cause);
  });

  test.each<[string, Partial<EnginePolicy>, StrategyInput["lastHuman"]]>([
    ["stays", {}, "stays"],
    ["goes as any other under a policy without a fallback", { fallback: null }, "goes"],
  ])("that the last human message %s", async (_, changes, lastHuman) => {
    expect((await given({}, {}, changes)).input?.lastHuman).toBe(lastHuman);
  });

  test.each<[string, readonly Message[], StrategyInput["lastStep"]]>([
    ["waits for the model", [...turns(8), calling("call", ["c"]), result("r", "c", words(10))], "open"],
    ["was answered", [...turns(7), calling("call", ["c"]), result("r", "c", words(1000)), reply("end", words(10))], "answered"],
  ])("that a step at the end %s", async (_, messages, lastStep) => {
    expect((await given({}, { entries: logOf(messages) })).input?.lastStep).toBe(lastStep);
  });

  test("the room and the line without the overhead and what is pending", async () => {
    const entries: readonly SessionEntry[] = [sessionStart(words(300)), ...logOf(turns(8)).slice(1)];
    const { input } = await given({ pending: [human("p", words(200))] }, { entries });
    expect(input).toMatchObject({ roomTokens: 9500, lineTokens: 7500 });
  });

  test("nothing of facts if there are none: a notice alone takes 80 tokens", async () => {
    const messages = [human("u", words(100)), ...turns(9).filter(({ role }) => role === "assistant")];
    const now = { reason: "manual", keep: null } as const;
    const { input, facts } = await given({ now }, { entries: logOf(messages) });
    expect([input?.noticeTokens, facts]).toEqual([80, undefined]);
  });

  test.each<[string, readonly SessionEntry[], number]>([
    ["as they are estimated", [], 1],
    [
      "as they are expected, once a report said that a request was 2.5 times as large",
      [usageEntry("r", "a7", 20_000)],
      1.299_812_57,
    ],
  ])("what facts take with a notice, %s", async (_, reports, scaleRatio) => {
    const now = { reason: "manual", keep: null } as const;
    const { input, facts } = await given(
      { now },
      { entries: [...logOf([human("first", "go"), ...CHANGE, ...turns(8)]), ...reports] },
    );
    const estimatedTokens = Math.floor(utf8Bytes(facts ?? "") / 4);
    expect(estimatedTokens).toBeGreaterThan(50);
    expect(input?.scaleRatio).toBeCloseTo(scaleRatio, 8);
    expect(input?.noticeTokens).toBeGreaterThanOrEqual(80 + Math.ceil(estimatedTokens * (input?.scaleRatio ?? 0)));
  });

  test("what recalled passages may take, too", async () => {
    const rules: readonly KeepRuleSpec[] = [{ kind: "recall", atMost: { tokens: 200 } }];
    const plain = await given();
    const recalling = await given({}, {}, { keep: [...SMALL_POLICY.keep, ...rules] });
    expect((recalling.input?.noticeTokens ?? 0) - (plain.input?.noticeTokens ?? 0)).toBe(200);
  });

  test("what is kept: the newest history, and what other rules hold", async () => {
    const pinned: KeepRuleSpec = { kind: "pinned", messageIds: ["a2"], atMost: { tokens: 600 } };
    const { input } = await given({}, {}, { keep: [...SMALL_POLICY.keep, pinned] });
    expect(input?.keep).toEqual({ messages: 6 });
    expect(input?.messages.filter(input.isKept).map(({ id }) => id)).toEqual(["a2"]);
  });

  test("that nothing is kept at the last recovery", async () => {
    const pinned: KeepRuleSpec = { kind: "pinned", messageIds: ["a2"], atMost: { tokens: 600 } };
    const { fallback } = SMALL_POLICY;
    const forced: EnginePolicy["fallback"] =
      fallback === null ? null : { ...fallback, forced: [{ kind: "ask" }, ...fallback.forced] };
    const overflow = { keep: [...SMALL_POLICY.keep, pinned], maxRecoveries: 2 };
    const { input } = await given({ gate: "on-overflow", recovery: 2 }, {}, { fallback: forced, overflow });
    expect([input?.keep, input?.messages.filter(input.isKept)]).toEqual([{ messages: 0 }, []]);
  });

  test("what a message is expected to measure, and what it counts of the history to keep", async () => {
    const { input } = await given(
      {},
      {},
      {
        cutEstimator: {
          kind: "chars-per-token",
          charsPerToken: 2,
          unit: "utf8-bytes",
          rounding: "floor",
          perMessageTokens: 0,
          minimumMessageTokens: 0,
          imageTokens: 0,
        },
      },
    );
    const message = reply("x", words(50));
    expect([textOf(message).length, input?.messageTokens(message), input?.keptMessageTokens(message)]).toEqual([200, 50, 100]);
  });
});
