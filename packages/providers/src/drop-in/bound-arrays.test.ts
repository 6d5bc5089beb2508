import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { createArrayCompactor } from "./array-compactor.ts";
import { LANGCHAIN_MESSAGES } from "./langchain-messages.ts";
import { createAgentItemsCompactor } from "./openai-agents.ts";
import { createChatCompactor } from "./openai-chat.ts";
import { createItemsCompactor } from "./openai-responses.ts";

const OPTIONS = { policy: PLIMSOLL_POLICY, limits: { contextWindowTokens: 200_000, maxOutputTokens: 1_000 } };
const TOOL = { name: "read", description: "Reads.", parametersJson: "{}" };
/** Other tools are another beginning. */
const AFTER = [TOOL, { ...TOOL, name: "write" }];

/** Fits an array before and after its tools change. */
async function fitted<Item>(
  compactor: { fit(items: readonly Item[], request: object): Promise<Item[]> },
  modelId: string,
  items: readonly Item[],
) {
  const before = await compactor.fit(items, { modelId, tools: [TOOL] });
  return { before, after: await compactor.fit(items, { modelId, tools: AFTER }) };
}

test("Responses items lose their reasoning, and the ids by which the vendor would look for it", async () => {
  const user = { type: "message", role: "user", content: "go" } as const;
  const call = { type: "function_call", id: "fc_1", call_id: "c", name: "read", arguments: "{}" } as const;
  const output = { type: "function_call_output", call_id: "c", output: "text" } as const;
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" } as const;
  const items = [user, { ...reasoning, summary: [] }, call, output];
  const { before, after } = await fitted(createItemsCompactor(OPTIONS), "gpt-6.2-sol", items);
  expect(before).toEqual(items);
  const { id: _, ...free } = call;
  expect(after).toEqual([user, free, output]);
});

test.each([0, 2])(
  "a reply that comes with other tools was made behind those before them: %i calls before it",
  async (before) => {
    const user = { type: "message", role: "user", content: "go" } as const;
    const step = (callId: string, id: string) => [
      { type: "reasoning" as const, id: `rs_${id}`, summary: [], encrypted_content: "sealed" },
      { type: "function_call" as const, call_id: callId, name: "read", arguments: "{}" },
      { type: "function_call_output" as const, call_id: callId, output: "text" },
    ];
    const known = [user, ...Array.from({ length: before }, (_, index) => step(`c${index}`, `${index}`)).flat()];
    const compactor = createItemsCompactor(OPTIONS);
    await compactor.fit(known, { modelId: "gpt-6.2-sol", tools: [TOOL] });
    const sent = await compactor.fit([...known, ...step("new", "new")], { modelId: "gpt-6.2-sol", tools: AFTER });
    expect(sent.filter(({ type }) => type === "reasoning")).toEqual([]);
    expect(sent).toHaveLength(1 + 2 * (before + 1));
  },
);

test("a reply that comes after an undo was made behind the cut: its reasoning leaves, and that of the replies behind the undo stays", async () => {
  const user = { type: "message", role: "user", content: "go" } as const;
  const step = (id: string, text: string) => [
    { type: "reasoning" as const, id: `rs_${id}`, summary: [], encrypted_content: "sealed" },
    { type: "function_call" as const, call_id: id, name: "read", arguments: "{}" },
    { type: "function_call_output" as const, call_id: id, output: text },
  ];
  const compactor = createItemsCompactor({ ...OPTIONS, limits: { contextWindowTokens: 20_000, maxOutputTokens: 1_000 } });
  const items = [user, ...Array.from({ length: 8 }, (_, index) => step(`c${index}`, "A line of notes.\n".repeat(800))).flat()];
  const request = { modelId: "gpt-6.2-sol", tools: [TOOL] };
  const cut = await compactor.fit(items, request);
  expect(cut.length).toBeLessThan(items.length);
  await compactor.undo(compactor.sessionIdOf(cut) ?? "");
  const large = { ...request, limits: { contextWindowTokens: 200_000, maxOutputTokens: 1_000 } };
  const grown = [...items, ...step("behind the cut", "text")];
  const reasoning = (sent: readonly { readonly type?: string | null }[]) =>
    sent.flatMap((item) => ("id" in item && item.type === "reasoning" ? [item.id] : []));
  const after = await compactor.fit(grown, large);
  expect(after.length).toBeGreaterThan(cut.length);
  expect(reasoning(after)).toEqual([]);
  expect(reasoning(await compactor.fit([...grown, ...step("behind the undo", "text")], large))).toEqual(["rs_behind the undo"]);
});

test("items of OpenAI Agents lose it likewise", async () => {
  const user = { role: "user", content: "go" } as const;
  const reasoning = { type: "reasoning" as const, id: "rs_1", content: [] };
  const call = {
    type: "function_call" as const,
    id: "fc_1",
    callId: "c",
    name: "read",
    arguments: "{}",
    status: "completed" as const,
  };
  const result = {
    type: "function_call_result" as const,
    callId: "c",
    name: "read",
    status: "completed" as const,
    output: "text",
  };
  const items = [user, reasoning, call, result];
  const { before, after } = await fitted(createAgentItemsCompactor(OPTIONS), "gpt-6.2-sol", items);
  expect(before).toEqual(items);
  const { id: _, ...free } = call;
  expect(after).toEqual([user, free, result]);
});

test("a chat message of a router loses what was signed, and keeps all else", async () => {
  const user = { role: "user", content: "go" } as const;
  const reply = { role: "assistant", content: "so", refusal: null } as const;
  const signed = {
    ...reply,
    reasoning: "why",
    reasoning_details: [{ type: "reasoning.text", text: "why", signature: "sealed" }],
  };
  const { before, after } = await fitted(createChatCompactor(OPTIONS), "anthropic/claude-fable-5.2", [user, signed, user]);
  expect(before).toEqual([user, signed, user]);
  expect(after).toEqual([user, reply, user]);
});

test("a message of LangChain loses its blocks of thinking, and keeps its others", async () => {
  const text = { type: "text", text: "so" };
  const items = [
    new HumanMessage("go"),
    new AIMessage({ id: "run-1", content: [{ type: "thinking", thinking: "why", signature: "sealed" }, text] }),
    new HumanMessage("on"),
  ];
  const { before, after } = await fitted(createArrayCompactor(LANGCHAIN_MESSAGES, OPTIONS), "claude-fable-5-2", items);
  expect(before).toEqual(items);
  expect(after.map(({ content }) => content)).toEqual(["go", [text], "on"]);
});

test("DeepSeek's reasoning, which nothing binds, stays", async () => {
  const items = [
    { role: "user", content: "go" } as const,
    { role: "assistant", content: "so", reasoning_content: "why" } as const,
  ];
  const { after } = await fitted(createChatCompactor(OPTIONS), "deepseek-reasoner", items);
  expect(after).toEqual(items);
});
