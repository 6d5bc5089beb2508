import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { type FormedStep, type FormName, ITEM_FORMS, stepItems } from "../../testing/item-forms.ts";
import { COMPACTORS, fieldsOf } from "../../testing/kept-items.ts";
import type { Fields } from "../fields.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import { LANGCHAIN_MESSAGES } from "./langchain-messages.ts";
import { createChatCompactor } from "./openai-chat.ts";

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

/** A step with reasoning. */
const step = (name: FormName, id: string, more: Partial<FormedStep> = {}): readonly Fields[] =>
  stepItems(name, { id, name: "read", seal: "sealed", result: "text", ...more }).map(fieldsOf);
const said = (name: FormName): Fields => fieldsOf(ITEM_FORMS[name].said("go"));

test.each<FormName>(["openai-responses", "agents"])(
  "items of %s lose their reasoning, and the ids by which the vendor would look for it",
  async (name) => {
    const [reasoning = {}, call = {}, output = {}] = step(name, "c", { isLinked: true });
    const items = [said(name), reasoning, call, output];
    const { before, after } = await fitted(COMPACTORS[name](OPTIONS), "gpt-6.2-sol", items);
    expect(before).toEqual(items);
    const { id: _, ...free } = call;
    expect(after).toEqual([said(name), free, output]);
  },
);

test.each([0, 2])(
  "a reply that comes with other tools was made behind those before them: %i calls before it",
  async (before) => {
    const name = "openai-responses";
    const known = [said(name), ...Array.from({ length: before }, (_, index) => step(name, `c${index}`)).flat()];
    const compactor = COMPACTORS[name](OPTIONS);
    await compactor.fit(known, { modelId: "gpt-6.2-sol", tools: [TOOL] });
    const sent = await compactor.fit([...known, ...step(name, "new")], { modelId: "gpt-6.2-sol", tools: AFTER });
    expect(sent.map(fieldsOf).filter(({ type }) => type === "reasoning")).toEqual([]);
    expect(sent).toHaveLength(1 + 2 * (before + 1));
  },
);

test("a reply that comes after an undo was made behind the cut: its reasoning leaves, and that of the replies behind the undo stays", async () => {
  const name = "openai-responses";
  const compactor = COMPACTORS[name]({ ...OPTIONS, limits: { contextWindowTokens: 20_000, maxOutputTokens: 1_000 } });
  const result = "A line of notes.\n".repeat(800);
  const items = [said(name), ...Array.from({ length: 8 }, (_, index) => step(name, `c${index}`, { result })).flat()];
  const request = { modelId: "gpt-6.2-sol", tools: [TOOL] };
  const cut = await compactor.fit(items, request);
  expect(cut.length).toBeLessThan(items.length);
  await compactor.undo(compactor.sessionIdOf(cut) ?? "");
  const large = { ...request, limits: { contextWindowTokens: 200_000, maxOutputTokens: 1_000 } };
  const grown = [...items, ...step(name, "behind the cut")];
  const reasoning = (sent: readonly object[]) =>
    sent.map(fieldsOf).flatMap(({ type, id }) => (type === "reasoning" ? [id] : []));
  const after = await compactor.fit(grown, large);
  expect(after.length).toBeGreaterThan(cut.length);
  expect(reasoning(after)).toEqual([]);
  expect(reasoning(await compactor.fit([...grown, ...step(name, "behind the undo")], large))).toEqual(["rs_behind the undo"]);
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
