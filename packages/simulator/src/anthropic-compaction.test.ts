import { expect, test } from "vitest";
import { simulatorWith } from "../testing/simulator-with.ts";
import { recordsAt, stringAt } from "./fields.ts";
import type { SimulatorOptions } from "./index.ts";

const BETA = "compact-2026-09-04";
const MODEL = "claude-opus-5-5";

interface Asked {
  readonly beta?: string;
  readonly [key: string]: unknown;
}

/** A simulator, asked on the Messages wire: the answer, its content and its error. */
async function asking(options: Partial<SimulatorOptions> = {}) {
  const simulator = await simulatorWith({ reasoning: "every-reply", ...options });
  return async (messages: readonly unknown[], { beta = BETA, ...more }: Asked = {}) => {
    const headers = { "anthropic-version": "2023-06-01", "x-api-key": "key", "anthropic-beta": beta };
    const body = JSON.stringify({ model: MODEL, max_tokens: 2_000, messages, ...more });
    const response = await fetch(`${simulator.url}/v1/messages`, { method: "POST", headers, body });
    const answer = Object(await response.json());
    const error = stringAt(answer.error, "message") ?? "";
    return { answer, status: response.status, content: recordsAt(answer, "content"), error };
  };
}

const user = (text: string) => ({ role: "user", content: text });
const assistant = (content: unknown) => ({ role: "assistant", content });
const SUMMARIZE = { compaction: { type: "summarize" } };
const TOOLS = [{ name: "read", input_schema: { type: "object" } }];

/** Two turns, and the summary of the first. */
async function compacted(options: Partial<SimulatorOptions> = {}, more: Asked = {}) {
  const ask = await asking(options);
  const first = [user("one")];
  const one = assistant((await ask(first)).content);
  const kept = [user("two"), assistant((await ask([...first, one, user("two")])).content)];
  const { content, answer } = await ask([...first, one], { ...SUMMARIZE, ...more });
  return { ask, first, one, kept, block: assistant(content), answer };
}

test("answers one signed block, billed as an iteration", async () => {
  const { answer } = await compacted();
  expect(answer).toMatchObject({
    content: [{ type: "compaction", content: expect.any(String), signature: expect.any(String) }],
    stop_reason: "compaction",
    usage: { input_tokens: 0, output_tokens: 0, iterations: [{ type: "compaction", output_tokens: expect.any(Number) }] },
  });
});

test.each<[string, Asked, number]>([
  ["unchanged", {}, 200],
  ["under another system text", { system: "other" }, 400],
  ["under other tools", { tools: TOOLS }, 400],
  ["under tools that are deferred", { tools: TOOLS.map((tool) => ({ ...tool, defer_loading: true })) }, 200],
])("kept thinking behind a block, %s", async (_, more, status) => {
  const { ask, block, kept } = await compacted();
  expect((await ask([block, ...kept, user("three")], more)).status).toBe(status);
});

test.each<[string, (of: Awaited<ReturnType<typeof compacted>>) => readonly unknown[], string]>([
  [
    "something stands between",
    ({ block, kept }) => [block, user("between"), assistant("x"), ...kept],
    "a different conversation",
  ],
  ["a kept message is changed", ({ block, kept }) => [block, user("changed"), ...kept.slice(1)], "a different conversation"],
  [
    "the first kept has the last summarised one's role",
    ({ block, kept }) => [block, ...kept.slice(1)],
    "a different conversation",
  ],
  ["the block is not first", ({ first, block, kept }) => [...first, block, ...kept], "compaction_block_misplaced"],
  ["there are two", ({ block, kept }) => [block, ...kept, user("a"), block], "at most one"],
  ["its text is changed", ({ block, kept }) => [changed(block, { content: "mine" }), ...kept], "compaction_signature_invalid"],
  ["it has another field", ({ block, kept }) => [changed(block, { citations: null }), ...kept], "citations: Extra inputs"],
])("is refused if %s", async (_, messages, error) => {
  const of = await compacted();
  expect((await of.ask([...messages(of), user("last")])).error).toContain(error);
});

function changed({ content }: { readonly content: unknown }, fields: object) {
  return assistant([{ ...Object(content)[0], ...fields }]);
}

test("thinking of kept turns survives a second compaction, and what came after the first one too", async () => {
  const { ask, block, kept } = await compacted();
  const third = [user("three"), assistant((await ask([block, ...kept, user("three")])).content)];
  const { content } = await ask([block, ...kept], SUMMARIZE);
  expect((await ask([assistant(content), ...third, user("four")])).status).toBe(200);
  expect((await ask([...kept, ...third, user("four")])).error).toContain("a different conversation");
});

test("an expired block is refused, and without the beta it is no block", async () => {
  const { ask, block } = await compacted();
  expect((await ask([block, user("on")], { beta: "other" })).error).toContain("Input tag 'compaction'");
  const refusing = await asking({ rules: { summaries: "refused" } });
  expect((await refusing([block, user("on")])).error).toContain("compaction_signature_invalid");
});

const call = assistant([{ type: "tool_use", id: "toolu_1", name: "read", input: {} }]);

test.each<[string, readonly unknown[], Asked, string]>([
  ["without the beta", [user("a")], { beta: "other" }, "requires anthropic-beta"],
  ["by an older model", [user("a")], { model: "claude-opus-4-5" }, "not supported"],
  ["with context management", [user("a")], { context_management: { edits: [] } }, "cannot be combined"],
  ["with stop sequences", [user("a")], { stop_sequences: ["x"] }, "cannot be combined"],
  ["with a forced tool", [user("a")], { tools: TOOLS, tool_choice: { type: "any" } }, "cannot be combined"],
  ["of an open call", [user("a"), call], { tools: TOOLS }, "without its result"],
  ["in another way", [user("a")], { compaction: { type: "other" } }, "compaction.type"],
])("a request for a summary is refused %s", async (_, messages, more, error) => {
  const ask = await asking();
  expect((await ask(messages, { ...SUMMARIZE, ...more })).error).toContain(error);
});

test.each<[string, Partial<SimulatorOptions>, string]>([
  ["a tool call", { replies: () => ({ parts: [{ type: "tool-call", toolName: "read", argumentsJson: "{}" }] }) }, "tool_use"],
  ["a cut", { replies: () => ({ parts: [{ type: "text", text: "so" }], stop: "length" }) }, "max_tokens"],
  ["nothing", { replies: () => ({ parts: [] }) }, "end_turn"],
])("%s is no summary", async (_, options, reason) => {
  const ask = await asking(options);
  const { answer, content } = await ask([user("a")], SUMMARIZE);
  expect([answer.stop_reason, content]).toEqual([reason, []]);
});
