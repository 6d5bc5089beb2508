import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { openCodeUsage } from "../../testing/array-subjects.ts";
import { openCodeInfo, stepItems } from "../../testing/item-forms.ts";
import type { Fields } from "../fields.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import { createOpenCodePlugin, OPENCODE_MESSAGES } from "./opencode.ts";
import type { OpenCodeMessage } from "./opencode-written.ts";

const CHARS_PER_TOKEN = 4;
const OVERHEAD_TOKENS = 10_000;
const WINDOW_TOKENS = 32_000;
const REPLY_TOKENS = 4_000;

const sizeOf = (value: unknown) => Math.ceil(JSON.stringify(value).length / CHARS_PER_TOKEN);
const user = (...parts: readonly Fields[]): OpenCodeMessage => ({ info: openCodeInfo("user", {}), parts });
const reply = (info: Fields, ...parts: readonly Fields[]): OpenCodeMessage => ({
  info: openCodeInfo("assistant", info),
  parts,
});
const tool = (callID: string, state: Fields): Fields => ({ type: "tool", callID, tool: "read", state });

/** A session of so many steps as OpenCode loads it: each reply keeps its request's measured size, ten thousand tokens of it system text and tools. */
function session(steps: number): OpenCodeMessage[] {
  const items: OpenCodeMessage[] = [user({ type: "text", text: "Read all files." })];
  for (let step = 0; step < steps; step++) {
    const measured = openCodeUsage(OVERHEAD_TOKENS + sizeOf(items));
    const result = `line of step ${step}\n`.repeat(100);
    const given = { path: `${step}.ts` };
    const made: OpenCodeMessage[] = stepItems("opencode", { id: `call_${step}`, given, said: `Step ${step}.`, result });
    for (const item of made) items.push({ ...item, info: { ...item.info, id: `msg_${step}`, ...measured } });
  }
  return items;
}

const PROVIDERS = {
  data: {
    providers: [
      { id: "simulated", models: { "simulated-model": { limit: { context: WINDOW_TOKENS, output: REPLY_TOKENS } } } },
    ],
  },
};

const plugin = async (providers: () => Promise<{ readonly data?: unknown }> = () => Promise.resolve(PROVIDERS)) =>
  await createOpenCodePlugin({ nowMs: () => 0 })({ client: { config: { providers } } });

/** Runs the plugin over an array of messages, and returns the same array. */
async function transformed(messages: OpenCodeMessage[], hooks = plugin()): Promise<OpenCodeMessage[]> {
  await (await hooks)["experimental.chat.messages.transform"]({}, { messages });
  return messages;
}

describe("the plugin", () => {
  test("writes into the array that OpenCode goes on with, and into none of its messages", async () => {
    const stored = session(60);
    const before = JSON.stringify(stored);
    const given = [...stored];
    await transformed(given);
    expect(given.length).toBeLessThan(stored.length);
    expect(JSON.stringify(stored)).toBe(before);
  });

  test("fits a session that it meets in its middle into what system text and tools leave", async () => {
    const stored = session(36);
    expect(sizeOf(stored)).toBeLessThan(WINDOW_TOKENS - REPLY_TOKENS);
    const given = await transformed(stored);
    expect(sizeOf(given) + OVERHEAD_TOKENS).toBeLessThan(WINDOW_TOKENS - REPLY_TOKENS);
  });

  test("believes in a small window if OpenCode knows no model, and asks again with the next request", async () => {
    const asked: string[] = [];
    const providers = () => {
      asked.push("providers");
      return Promise.reject(new Error("no server"));
    };
    const hooks = plugin(providers);
    const given = await transformed(session(60), hooks);
    expect(sizeOf(given) + OVERHEAD_TOKENS).toBeLessThan(WINDOW_TOKENS);
    await transformed(session(60), hooks);
    expect(asked).toHaveLength(2);
  });

  test.each<[string, Fields, Fields]>([
    ["by itself", {}, { reserved: 0, prune: false }],
    ["beside what the person set", { compaction: { auto: false } }, { auto: false, reserved: 0, prune: false }],
  ])("leaves OpenCode's own compaction for an overflow %s", async (_, before, after) => {
    const config: { compaction?: unknown } = { ...before };
    await (await plugin()).config(config);
    expect(config.compaction).toEqual(after);
  });
});

describe("typed to plimsoll", () => {
  const SESSION = { model: { providerID: "simulated", modelID: "simulated-model" } };
  const typed = (text: string): OpenCodeMessage => ({ info: openCodeInfo("user", SESSION), parts: [{ type: "text", text }] });

  test("what was dropped is said by the model, which is sent nothing else, and is in no later request", async () => {
    const hooks = plugin();
    const stored = session(60);
    await transformed([...stored], hooks);
    const wish = [...stored, typed("plimsoll: what did you drop?")];
    const asked = await transformed([...wish], hooks);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked)).toContain("- results of read: ");
    const later = [...wish, reply({}, { type: "text", text: "The newest cut" }), typed("Go on.")];
    expect(JSON.stringify(await transformed(later, hooks))).not.toMatch(/what did you drop|The newest cut took/);
  });

  test("an undo sends what was cut again, and what is to be kept stands in every summary", async () => {
    const hooks = plugin();
    const stored = [...session(30), typed("plimsoll: keep this: the harbour is at 54°N"), ...session(30).slice(1)];
    const cut = await transformed([...stored], hooks);
    expect(JSON.stringify(cut)).toContain("the harbour is at 54°N");
    expect(JSON.stringify(await transformed([...stored, typed("plimsoll: undo")], hooks))).toContain("The last cut is undone");
  });

  test("a result that says it is no person's", async () => {
    const state = { status: "completed", input: {}, output: "plimsoll: undo" };
    const given = await transformed([user({ type: "text", text: "Look." }), reply({}, tool("a", state))]);
    expect(JSON.stringify(given)).toContain("plimsoll: undo");
    expect(given).toHaveLength(2);
  });
});

describe("how messages are read", () => {
  const read = (...items: readonly OpenCodeMessage[]) =>
    items.flatMap((item) => OPENCODE_MESSAGES.drafts([item], { toolNameOf: () => "", calls: [], messageId: null }));

  test.each<[string, OpenCodeMessage, readonly Fields[]]>([
    [
      "what OpenCode puts to a message is not the person's",
      user({ type: "text", text: "Look." }, { type: "text", text: "Called the Read tool", synthetic: true }),
      [
        { role: "user", origin: "human" },
        { role: "user", origin: "injected" },
      ],
    ],
    ["what is ignored is not sent", user({ type: "text", text: "hidden", ignored: true }), []],
    ["a reply that failed is not sent", reply({ error: { name: "APIError" } }, { type: "text", text: "half" }), []],
    [
      "a reply that the person stopped is sent",
      reply({ error: { name: "MessageAbortedError" } }, { type: "text", text: "half" }),
      [{ role: "assistant" }],
    ],
    [
      "a reply that goes on after results is one message for each step",
      reply(
        {},
        { type: "step-start" },
        tool("a", { status: "completed", input: {}, output: "A" }),
        { type: "step-start" },
        { type: "text", text: "Done." },
      ),
      [{ role: "assistant" }, { role: "tool-result", callId: "a" }, { role: "assistant" }],
    ],
    [
      "a call that was interrupted has a result that says so",
      reply({}, tool("a", { status: "running", input: {} })),
      [{ role: "assistant" }, { role: "tool-result", parts: [{ type: "text", text: "[Tool execution was interrupted]" }] }],
    ],
    [
      "a result that OpenCode cleared is what it sends for it",
      reply({}, tool("a", { status: "completed", input: {}, output: "long", time: { compacted: 1 } })),
      [{ role: "assistant" }, { parts: [{ type: "text", text: "[Old tool result content cleared]" }] }],
    ],
    [
      "a failed call has its error",
      reply({}, tool("a", { status: "error", input: {}, error: "no such file" })),
      [{ role: "assistant" }, { isError: true, parts: [{ type: "text", text: "no such file" }] }],
    ],
  ])("%s", (_, item, drafts) => {
    expect(read(item)).toMatchObject(drafts);
    expect(read(item)).toHaveLength(drafts.length);
  });

  test.each<[string, OpenCodeMessage]>([
    ["a failed reply", reply({ tokens: { input: 0, output: 0, cache: { read: 0, write: 0 } } })],
    ["a summary of OpenCode's", reply({ summary: true, ...openCodeUsage(9_000) })],
    ["a person's message", user({ type: "text", text: "Look." })],
  ])("%s measures nothing", (_, item) => {
    expect(OPENCODE_MESSAGES.observed(item)).toBeNull();
  });
});

test("a result that is shortened stays with its call, under its ids", async () => {
  const policy = { ...PLIMSOLL_POLICY, truncation: { capTokens: 500 } };
  const limits = { contextWindowTokens: 200_000, maxOutputTokens: 2_000 };
  const compactor = createArrayCompactor(OPENCODE_MESSAGES, { policy, limits, nowMs: () => 0 });
  const long = tool("a", {
    status: "completed",
    input: { path: "a" },
    output: "line\n".repeat(5_000),
    title: "a",
    time: { start: 1 },
  });
  const own = [user({ type: "text", text: "Look." }), reply({ id: "msg_7" }, { type: "step-start" }, long, { type: "patch" })];
  const [, sent] = await compactor.fit(own);
  expect(sent).toMatchObject({
    info: { id: "msg_7" },
    parts: [{ type: "step-start" }, { callID: "a", state: { input: { path: "a" }, title: "a" } }, { type: "patch" }],
  });
  expect(sizeOf(sent)).toBeLessThan(1_500);
});
