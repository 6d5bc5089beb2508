import type Anthropic from "@anthropic-ai/sdk";
import { createDigest, PI_POLICY, PLIMSOLL_POLICY, piPolicy } from "@plimsoll/core";
import { createMemorySessionStore } from "@plimsoll/stores";
import { describe, expect, test } from "vitest";
import { createMessagesCompactor } from "./anthropic.ts";

const limits = { contextWindowTokens: 6_000, maxOutputTokens: 500 };
const capped = { ...PLIMSOLL_POLICY, truncation: { ...PLIMSOLL_POLICY.truncation, capTokens: 500 } };
const range = { startChar: 0, maximumChars: 3 };
const user = (content: string) => ({ role: "user" as const, content });
const reply = (content: string) => ({ role: "assistant" as const, content });
const call = (id: string): Anthropic.MessageParam => ({
  role: "assistant",
  content: [{ type: "tool_use", id, name: "look", input: {} }],
});
const result = (id: string, content: string): Anthropic.MessageParam => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content }],
});
const history = [user("go"), call("a"), result("a", "one ".repeat(3_000))];
const handleIn = (sent: readonly Anthropic.MessageParam[]) =>
  /artifact:[0-9a-f]{64}/.exec(JSON.stringify(sent))?.[0] ?? expect.fail("nothing was cut");

describe("a result that was cut is found by its handle", () => {
  test("by the caller's own array, whatever system text it was sent under", async () => {
    const compactor = createMessagesCompactor({ policy: capped, limits });
    const handle = handleIn(await compactor.fit(history, { system: "You are S." }));
    expect((await compactor.recall(handle, range, history))?.text).toBe("one");
    expect((await compactor.recall(handle, range, structuredClone(history)))?.text).toBe("one");
  });

  test("in a fork that begins after it", async () => {
    const compactor = createMessagesCompactor({ policy: capped, limits });
    await compactor.fit([...history, reply("x"), user("y")]);
    const fork = [...history, reply("z"), user("w")];
    expect((await compactor.recall(handleIn(await compactor.fit(fork)), range, fork))?.text).toBe("one");
  });

  test("after a restart", async () => {
    const sessions = createMemorySessionStore();
    const before = createMessagesCompactor({ policy: capped, limits, sessions });
    await before.fit(history, { conversation: "a" });
    await before.close();
    const after = createMessagesCompactor({ policy: capped, limits, sessions });
    const sent = await after.fit([...history, reply("x"), user("y")], { conversation: "a" });
    expect((await after.recall(handleIn(sent), range, "a"))?.text).toBe("one");
  });
});

test("an edited message is sent in its new words alone, whatever a cut made of the old ones", async () => {
  const compactor = createMessagesCompactor({ policy: PLIMSOLL_POLICY, limits });
  const own = Array.from({ length: 61 }, (_, at) => (at % 2 === 0 ? user : reply)(`${at} is old. `.repeat(50)));
  expect(JSON.stringify(await compactor.fit(own, { conversation: "a" }))).toContain("40 is old");
  own[40] = user("this is new");
  expect(JSON.stringify(await compactor.fit(own, { conversation: "a" }))).not.toContain("40 is old");
});

describe("a last message that changes at every step", () => {
  const pi = { ...PI_POLICY, ...piPolicy({ reserve_tokens: 2_000, keep_recent_tokens: 1_000 }) };
  test.each([
    ["in memory", 3, undefined],
    ["with a store", 3, createMemorySessionStore()],
  ])("%s: no more conversations than are allowed stay in memory, and what is sent is right", async (_, most, sessions) => {
    const compactor = createMessagesCompactor({
      policy: pi,
      limits,
      maximumConversations: most,
      summarizer: createDigest(),
      ...(sessions === undefined ? {} : { sessions }),
    });
    const own: Anthropic.MessageParam[] = [user("go")];
    for (let step = 0; step < 25; step++) {
      const sent = await compactor.fit([...own, user(`it is ${step} o'clock`)], { conversation: "a" });
      expect(JSON.stringify(sent).match(/o'clock/g)).toHaveLength(1);
      expect(sent.at(-1)).toEqual(user(`it is ${step} o'clock`));
      expect(compactor.conversations().length).toBeLessThanOrEqual(most);
      own.push(call(`c${step}`), result(`c${step}`, `text ${step} `.repeat(150)));
    }
  });
});
