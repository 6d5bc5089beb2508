import { definePolicy } from "@plimsoll/core";
import { createMemorySessionStore } from "@plimsoll/stores";
import { expect, test } from "vitest";
import { type AnthropicSession, type AnthropicSessionOptions, createAnthropicSession } from "../anthropic/index.ts";

const REQUEST: AnthropicSessionOptions["request"] = {
  model: "claude-haiku-5-5",
  max_tokens: 1_000,
  tools: [{ name: "read_file", input_schema: { type: "object" } }],
};

const open = (more: Partial<AnthropicSessionOptions> = {}) =>
  createAnthropicSession({ request: REQUEST, policy: definePolicy({ cap: "16k" }), nowMs: () => 0, ...more });

type Answer = Parameters<AnthropicSession["reply"]>[0];

const USAGE = { input_tokens: 100, output_tokens: 10 };

/** An answer with calls of these ids, and nothing else. */
const calling = (...ids: readonly string[]): Answer => ({
  id: `msg-${ids.join("-")}`,
  model: "claude-haiku-5-5",
  content: ids.map((id) => ({ type: "tool_use", id, name: "read_file", input: { path: "a" }, caller: { type: "direct" } })),
  usage: USAGE,
});

/** A session whose newest reply called these. */
async function called(...ids: readonly string[]): Promise<AnthropicSession> {
  const session = await open();
  session.user("Read.");
  await session.request();
  session.reply(calling(...ids));
  return session;
}

const done = (text: string): Answer => ({ ...calling(), id: "msg-done", content: [{ type: "text", text, citations: null }] });

test.each<[string, string, () => Promise<unknown>]>([
  ["a reply without a request", "no request waits for an answer", async () => (await open()).reply(calling("c1"))],
  [
    "a second reply",
    "no request waits for an answer",
    async () => {
      const session = await called("c1");
      session.reply(calling("c2"));
    },
  ],
  ["a result for an unknown call", 'no call "c9" waits for a result', async () => (await called("c1")).result("c9", "text")],
  [
    "a second result for a call",
    'no call "c1" waits for a result',
    async () => {
      const session = await called("c1");
      session.result("c1", "text");
      session.result("c1", "text");
    },
  ],
  ["a request while calls have no result", "no result was given for: c1, c2", async () => (await called("c1", "c2")).request()],
  [
    "a request with nothing to send",
    "there is nothing to send: add a user message or a result",
    async () => (await open()).request(),
  ],
  [
    "a request after the last words",
    "there is nothing to send: add a user message or a result",
    async () => {
      const session = await called();
      session.user("Read.");
      await session.request();
      session.reply(done("Read."));
      await session.request();
    },
  ],
  [
    "two requests at once",
    "a request of this session is being made; wait for it, or open another session",
    async () => {
      const session = await open();
      session.user("Read.");
      await Promise.all([session.request(), session.request()]);
    },
  ],
  ["a person's message without content", "a message needs text or an image", async () => (await open()).user("  ")],
])("%s is an error that says so", async (_, message, use) => {
  await expect(use()).rejects.toMatchObject({ name: "PlimsollError", code: "bad-input", message });
});

test("a request that failed can be asked for again, and is the same", async () => {
  const session = await open();
  session.user("Read.");
  const failing = session.send(() => Promise.reject(new Error("no connection")));
  await expect(failing).rejects.toThrow("no connection");
  const [again, once] = [await session.request(), await session.request()];
  expect(once).toEqual(again);
  expect(again.messages).toHaveLength(1);
});

test("an aborted request leaves what the person said for the next one, once", async () => {
  const session = await open();
  session.user("Read.");
  await session.request(AbortSignal.abort(new Error("stopped"))).catch(() => undefined);
  expect((await session.request()).messages).toMatchObject([{ role: "user", content: [{ text: "Read." }] }]);
});

test("results may come in any order, parallel ones at once, and what the person says meanwhile goes behind them", async () => {
  const session = await called("c1", "c2", "c3");
  session.user("And then?");
  session.result("c2", "two");
  session.result("c1", "one", { isError: true });
  expect(session.calls.map(({ callId }) => callId)).toEqual(["c3"]);
  session.result("c3", [{ type: "text", text: "three" }]);
  const { messages } = await session.request();
  expect(messages.at(-1)).toMatchObject({
    role: "user",
    content: [
      { tool_use_id: "c2", content: "two" },
      { tool_use_id: "c1", content: "one", is_error: true },
      { tool_use_id: "c3", content: "three" },
      { type: "text", text: "And then?" },
    ],
  });
});

test("an id that a model gives again names the newest call", async () => {
  const session = await called("c1");
  session.result("c1", "first");
  await session.request();
  const [call] = session.reply(calling("c1"));
  expect(call?.callId).not.toBe("c1");
  session.result("c1", "second");
  expect(session.calls).toEqual([]);
  expect(JSON.stringify((await session.request()).messages)).toContain("second");
});

test("an output over the policy's cap is cut when it arrives, and its handle finds the rest", async () => {
  const session = await called("c1");
  session.result("c1", Array.from({ length: 20_000 }, (_, line) => `line ${line}`).join("\n"), { hint: "read lines 500 on" });
  const text = JSON.stringify((await session.request()).messages);
  expect(text).toContain("read lines 500 on");
  const [, handle = ""] = /handle ([^;\]"\s]+)/.exec(text) ?? [];
  expect((await session.recall(handle, { startChar: 0, maximumChars: 100 }))?.text).toContain("line 0");
});

test("a store of outputs that fails rejects the next request; the call can be answered again", async () => {
  const stored: string[] = [];
  let isFull = true;
  const artifacts = {
    put: (text: string) => (isFull ? Promise.reject(new Error("disk full")) : Promise.resolve(`h${stored.push(text)}`)),
    get: () => Promise.resolve(null),
  };
  const session = await open({ artifacts });
  session.user("Read.");
  await session.request();
  session.reply(calling("c1"));
  const output = "word ".repeat(100_000);
  session.result("c1", output);
  await expect(session.request()).rejects.toThrow("disk full");
  isFull = false;
  session.result("c1", output);
  expect((await session.request()).messages).toHaveLength(3);
});

test("calls that a crash left without a result have an error result when the session is taken up", async () => {
  const sessions = createMemorySessionStore();
  const first = await open({ sessions, sessionId: "s1" });
  first.user("Read.");
  await first.request();
  first.reply(calling("c1"));
  await first.close();
  const second = await open({ sessions, sessionId: "s1" });
  expect(second.calls).toEqual([]);
  expect((await second.request()).messages.at(-1)).toMatchObject({ content: [{ tool_use_id: "c1", is_error: true }] });
});
