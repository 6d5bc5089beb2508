import { describe, expect, test } from "vitest";
import type { UsageEntry } from "../entry.ts";
import { createDigest } from "../memory/digest.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { human, logOf, reply, usageEntry } from "../testing/builders.ts";
import { UNREPORTED_USAGE, type Usage, usageOf } from "../usage.ts";
import type { ContextEvent } from "./events.ts";
import { createSession } from "./open-session.ts";

const setting = { policy: PLIMSOLL_POLICY, summarizer: createDigest() };
const LOG = logOf([human("u", "go"), reply("a", "words ".repeat(2000))]);
const managerOf = (events: ContextEvent[] = []) =>
  createSession({ ...setting, entries: LOG, onEvent: (event) => events.push(event) });

/** Counts that no provider can mean. */
const IMPOSSIBLE: readonly (readonly [string, Usage])[] = [
  ["a negative prompt", usageOf({ totalInputTokens: -5, outputTokens: 1 })],
  ["a prompt that is no number", { ...UNREPORTED_USAGE, input: { ...UNREPORTED_USAGE.input, totalTokens: Number.NaN } }],
  ["a prompt of half a token", usageOf({ totalInputTokens: 2000.5, outputTokens: 1 })],
  ["an endless prompt", { ...UNREPORTED_USAGE, input: { ...UNREPORTED_USAGE.input, totalTokens: Number.POSITIVE_INFINITY } }],
  ["a negative reply", usageOf({ totalInputTokens: 2000, outputTokens: -1 })],
  ["a negative part of a cache", usageOf({ totalInputTokens: 2000, cacheReadTokens: -3 })],
];

test.each(["u", "a"])("a message under an id that the log has is refused by name, and the session goes on: %s", (messageId) => {
  const manager = managerOf();
  const before = manager.entries().length;
  expect(() => manager.append({ type: "message", message: human(messageId, "again") })).toThrow(
    expect.objectContaining({ code: "bad-input", details: { reason: "doubled-id", messageId } }),
  );
  expect(manager.entries()).toHaveLength(before);
  manager.append({ type: "message", message: human("u2", "again") });
  expect(manager.context().messages.at(-1)?.id).toBe("u2");
});

test("so is one whose message was cut since; a log that has an id twice opens as it did", async () => {
  const limits = { contextWindowTokens: 4000, maxOutputTokens: null };
  const manager = managerOf();
  const input = {
    gate: "before-step",
    pending: [],
    model: limits,
    nowMs: null,
    now: { reason: "manual", keep: { messages: 0 } },
  } as const;
  expect((await manager.fit(input, new AbortController().signal)).kind).toBe("compacted");
  expect(() => manager.append({ type: "message", message: reply("a", "again") })).toThrow("already");
  const twice = logOf([human("u", "go"), reply("a", "x"), human("u", "go")]);
  expect(createSession({ ...setting, entries: twice }).context().messages).toHaveLength(3);
});

describe.each(IMPOSSIBLE)("%s", (_, usage) => {
  const entry: UsageEntry = { ...usageEntry("q", "a", 1), usage };

  test("is refused where it is appended, and changes nothing", () => {
    const manager = managerOf();
    const [before, expected] = [manager.entries().length, manager.predict()];
    expect(() => manager.append(entry)).toThrow(expect.objectContaining({ code: "bad-input" }));
    expect([manager.entries().length, manager.predict()]).toEqual([before, expected]);
  });

  test("that a provider reports is told once, logged as not reported, and no evidence", async () => {
    const events: ContextEvent[] = [];
    const conversation = createSession({
      ...setting,
      entries: LOG,
      writer: null,
      nowMs: () => null,
      onEvent: (event) => events.push(event),
    });
    const expected = conversation.predict().expectedTokens;
    for (const requestId of ["q1", "q2"])
      await conversation.report(conversation.view(), { requestId, modelId: "test/model", usage });
    expect(events.map(({ type }) => type)).toEqual(["usage-refused"]);
    const logged = conversation.entries().filter((each) => each.type === "usage");
    expect(logged.map((each) => each.usage)).toEqual([UNREPORTED_USAGE, UNREPORTED_USAGE]);
    expect(conversation.predict().expectedTokens).toBe(expected);
  });
});

test("a reply longer than the window is no evidence of its size, and is told once; the prompt and what was paid stay", async () => {
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => void events.push(event);
  const conversation = createSession({ ...setting, entries: LOG, writer: null, nowMs: () => null, onEvent });
  const model = { contextWindowTokens: 40_000, maxOutputTokens: null };
  await conversation.fit({ gate: "before-step", pending: [], model }, new AbortController().signal);
  for (const requestId of ["q1", "q2"]) {
    const usage = usageOf({ totalInputTokens: 2000, outputTokens: 5_000_000 });
    const entry = await conversation.report(conversation.view(), { requestId, modelId: "test/model", usage });
    expect(entry?.usage).toMatchObject({
      ...{ input: { totalTokens: 2000 }, output: { totalTokens: null } },
      billed: { outputTokens: 5_000_000 },
    });
  }
  expect(events.map(({ type }) => type)).toEqual(["usage-refused"]);
});

test("a prompt of no tokens says nothing: no alarm, and sizes stay", () => {
  const events: ContextEvent[] = [];
  const manager = managerOf(events);
  manager.append(usageEntry("q", "a", 3000));
  manager.append({ type: "message", message: human("u2", "more ".repeat(1000)) });
  const expected = manager.predict().expectedTokens;
  manager.append({ ...usageEntry("q2", "u2", 0), usage: usageOf({ totalInputTokens: 0, outputTokens: 0 }) });
  expect(events).toEqual([]);
  expect(manager.predict().expectedTokens).toBeGreaterThanOrEqual(expected);
});

test("one report that is far too high is possible: it is believed until later ones refute it", () => {
  const manager = managerOf();
  manager.append(usageEntry("q", "a", 90_000));
  expect(manager.predict().expectedTokens).toBeGreaterThanOrEqual(90_000);
});
