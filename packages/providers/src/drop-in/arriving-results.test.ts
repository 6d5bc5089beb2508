import { NONE_POLICY, PLIMSOLL_POLICY, type Policy } from "@plimsoll/core";
import { expect, test } from "vitest";
import { createCompactionMiddleware } from "./ai-sdk.ts";
import { PROMPTS } from "./ai-sdk-middleware.ts";
import { createMessagesCompactor } from "./anthropic.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import { createChatCompactor } from "./openai-chat.ts";
import { createItemsCompactor } from "./openai-responses.ts";

const limits = { contextWindowTokens: 200_000, maxOutputTokens: 2_000 };
const POLICY: Policy = { ...PLIMSOLL_POLICY, truncation: { capTokens: 8_000 } };
/** 40,000 tokens: five times the policy's cap. */
const LONG = Array.from({ length: 8_000 }, (_, line) => `line ${line} of the output`).join("\n");
const SHORT = "two lines\nof output";

interface Fitted {
  readonly sent: readonly unknown[];
  readonly own: readonly unknown[];
  readonly recall: (handle: string) => Promise<string | null>;
}

const FIRST_LINES = { startChar: 0, maximumChars: 40 };

/** One array with a long and a short result, as each drop-in takes it. */
const dropIns: readonly { readonly name: string; readonly fit: (policy: Policy) => Promise<Fitted> }[] = [
  {
    name: "Anthropic messages",
    fit: async (policy) => {
      const compactor = createMessagesCompactor({ policy, limits });
      const call = (id: string) => ({ type: "tool_use", id, name: "run", input: {} }) as const;
      const own = [
        { role: "user" as const, content: "go" },
        { role: "assistant" as const, content: [call("a")] },
        { role: "user" as const, content: [{ type: "tool_result" as const, tool_use_id: "a", content: LONG }] },
        { role: "assistant" as const, content: [call("b")] },
        { role: "user" as const, content: [{ type: "tool_result" as const, tool_use_id: "b", content: SHORT }] },
      ];
      const recall = async (handle: string) => (await compactor.recall(handle, FIRST_LINES, own))?.text ?? null;
      return { own, sent: await compactor.fit(own), recall };
    },
  },
  {
    name: "Chat Completions messages",
    fit: async (policy) => {
      const compactor = createChatCompactor({ policy, limits });
      const calling = (id: string) => {
        const call = { id, type: "function" as const, function: { name: "run", arguments: "{}" } };
        return { role: "assistant" as const, tool_calls: [call] };
      };
      const own = [
        { role: "user" as const, content: "go" },
        calling("a"),
        { role: "tool" as const, tool_call_id: "a", content: LONG },
        calling("b"),
        { role: "tool" as const, tool_call_id: "b", content: SHORT },
      ];
      const recall = async (handle: string) => (await compactor.recall(handle, FIRST_LINES, own))?.text ?? null;
      return { own, sent: await compactor.fit(own), recall };
    },
  },
  {
    name: "Responses items",
    fit: async (policy) => {
      const compactor = createItemsCompactor({ policy, limits });
      const own = [
        { role: "user" as const, content: "go" },
        { type: "function_call" as const, call_id: "a", name: "run", arguments: "{}" },
        { type: "function_call_output" as const, call_id: "a", output: LONG },
        { type: "function_call" as const, call_id: "b", name: "run", arguments: "{}" },
        { type: "function_call_output" as const, call_id: "b", output: SHORT },
      ];
      const recall = async (handle: string) => (await compactor.recall(handle, FIRST_LINES, own))?.text ?? null;
      return { own, sent: await compactor.fit(own), recall };
    },
  },
];

test.each(dropIns)(
  "$name: a result over the cap is cut when it arrives, and its notice's handle brings it back",
  async ({ fit }) => {
    const { sent, own, recall } = await fit(POLICY);
    const text = JSON.stringify(sent);
    expect(text.length).toBeLessThan(JSON.stringify(own).length / 3);
    const handle = /artifact:[0-9a-f]{64}/.exec(text)?.[0] ?? "";
    expect(await recall(handle)).toBe(LONG.slice(0, 40));
    // Everything else is the caller's own.
    expect(sent).toHaveLength(own.length);
    expect(sent.filter((item, index) => item !== own[index])).toHaveLength(1);
    expect(JSON.stringify(own)).toContain("line 7999 of");
  },
);

test.each(dropIns)("$name: with compaction off nothing is cut", async ({ fit }) => {
  const { sent, own } = await fit(NONE_POLICY);
  expect(sent).toEqual(own);
});

test("the same array is not cut anew: what was sent stays as it was", async () => {
  const compactor = createMessagesCompactor({ policy: POLICY, limits });
  const own = [
    { role: "user" as const, content: "go" },
    { role: "assistant" as const, content: [{ type: "tool_use" as const, id: "a", name: "run", input: {} }] },
    { role: "user" as const, content: [{ type: "tool_result" as const, tool_use_id: "a", content: LONG }] },
  ];
  const first = await compactor.fit(own);
  const second = await compactor.fit(structuredClone(own));
  expect(second).toEqual(first);
  const entries = compactor.conversations().flatMap((log) => log.entries);
  expect(entries.filter(({ type }) => type === "message")).toHaveLength(3);
});

test("how a tool's output is cut follows what it looks like", async () => {
  const sentWith = async (category: "file-content" | "match-list") => {
    const compactor = createItemsCompactor({ policy: POLICY, limits, categoryOf: () => category });
    return await compactor.fit([
      { role: "user", content: "go" },
      { type: "function_call", call_id: "a", name: "run", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: LONG },
    ]);
  };
  expect(await sentWith("file-content")).not.toEqual(await sentWith("match-list"));
});

test("the AI SDK's prompts are cut the same way", async () => {
  const compactor = createArrayCompactor(PROMPTS, { policy: POLICY, limits });
  const names = { toolCallId: "a", toolName: "run" };
  const messages = await compactor.fit([
    { role: "user", content: [{ type: "text", text: "go" }] },
    { role: "assistant", content: [{ type: "tool-call", ...names, input: {} }] },
    { role: "tool", content: [{ type: "tool-result", ...names, output: { type: "text", value: LONG } }] },
  ]);
  expect(JSON.stringify(messages).length).toBeLessThan(LONG.length / 3);
  expect(await createCompactionMiddleware({ policy: POLICY, limits }).recall("artifact:0", FIRST_LINES, [])).toBeNull();
});
