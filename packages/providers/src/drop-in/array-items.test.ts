import type Anthropic from "@anthropic-ai/sdk";
import { NONE_POLICY, PI_POLICY, PLIMSOLL_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { type FormName, ITEM_FORMS, stepItems, turnItems } from "../../testing/item-forms.ts";
import { COMPACTORS } from "../../testing/kept-items.ts";
import type { ContractTurn } from "../testing/index.ts";
import { PROMPTS, type PromptMessage } from "./ai-sdk-middleware.ts";
import { createMessagesCompactor } from "./anthropic.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import { createItemsCompactor } from "./openai-responses.ts";

const options = { policy: PLIMSOLL_POLICY, limits: { contextWindowTokens: 1_000_000, maxOutputTokens: 1_000 } };
const STEPS = 20;

const KINDS: readonly (readonly [string, FormName])[] = [
  ["Anthropic's messages", "anthropic"],
  ["Chat Completions messages", "openai-chat"],
  ["Responses items", "openai-responses"],
  ["the AI SDK's prompts", "ai-sdk"],
];

const said = (text: string): PromptMessage => ({ role: "user", content: [{ type: "text", text }] });

/** Counts how often one step reads the content, arguments or output of an item. */
async function readsPerStep(fit: (items: object[]) => Promise<unknown>, form: FormName): Promise<readonly number[]> {
  let reads = 0;
  const get = (target: object, key: string | symbol): unknown => {
    if (key === "content" || key === "arguments" || key === "output") reads += 1;
    return Reflect.get(target, key);
  };
  const items = [new Proxy(Object(ITEM_FORMS[form].said("go")), { get })];
  const counts: number[] = [];
  for (let index = 0; index < STEPS; index += 1) {
    const id = `call_${index}`;
    items.push(...stepItems(form, { id, result: `seen ${id}` }).map((item) => new Proxy(item, { get })));
    const before = reads;
    await fit([...items]);
    counts.push(reads - before);
  }
  return counts;
}

test("what the agent declares in the middle of Anthropic's messages stands alone, behind the user and before the assistant, after cuts too", async () => {
  const limits = { contextWindowTokens: 4_000, maxOutputTokens: 500 };
  const compactor = createMessagesCompactor({ policy: PI_POLICY, limits });
  const own: Anthropic.MessageParam[] = [{ role: "user", content: "Mend all files." }];
  for (let index = 0; index < 60; index += 1) {
    const id = `call_${index} ${"word ".repeat(60)}`;
    own.push(...stepItems("anthropic", { id, result: `seen ${id}` }));
    if (index % 6 === 3) own.push({ role: "system", content: `Rule ${index} holds.` });
    if (index % 15 === 14)
      own.push({ role: "assistant", content: `Done with ${index}.` }, { role: "user", content: `Go on with ${index}.` });
    const sent = await compactor.fit(own);
    const roles = sent.map(({ role }, at) => [sent[at - 1]?.role, role, sent[at + 1]?.role ?? "end"] as const);
    const misplaced = roles.filter(
      ([before, role, after]) => role === "system" && (before !== "user" || after === "user" || after === "system"),
    );
    expect(misplaced).toEqual([]);
    expect(
      own.filter(({ role }) => role === "system").every(({ content }) => JSON.stringify(sent).includes(String(content))),
    ).toBe(true);
  }
  expect((await compactor.fit(own)).length).toBeLessThan(own.length);
});

/** Ids that servers give and vendors refuse: by their characters, and by their length. */
const ODD_IDS = ["functions.look:0", `call_${"long".repeat(30)}`];

const compactor = { ...options, policy: { ...PLIMSOLL_POLICY, truncation: { capTokens: 200 } } };
test.each(KINDS.flatMap(([name, form]) => ODD_IDS.map((callId) => [name, callId, form] as const)))(
  "%s: results that are cut answer the call %s under the id that the server gave",
  async (_, callId, form) => {
    const step = (index: number): ContractTurn => {
      const result = `seen ${index} ${"word ".repeat(300)}`;
      return { kind: "step", callId, path: `${index}.ts`, said: `Step ${index}.`, result };
    };
    const turns: readonly ContractTurn[] = [
      { kind: "human", text: "Mend all files.", before: null },
      ...Array.from({ length: 4 }, (_each, index) => step(index)),
    ];
    const sent = JSON.stringify(await COMPACTORS[form](compactor).fit(turns.flatMap(turnItems(form))));
    expect(sent).not.toContain("word ".repeat(300).trim());
    const ids = [...sent.matchAll(/"(?:tool_use_id|tool_call_id|toolCallId|call_id|id)":"([^"]*)"/g)].map(([, id]) => id);
    expect(ids).toEqual(Array.from({ length: 8 }, () => callId));
  },
);

test.each(KINDS)("%s: a step reads its own items, however long the history is", async (_, form) => {
  const { fit } = COMPACTORS[form](options);
  const [first = 0, second = 0, ...later] = await readsPerStep((items) => fit(items, { system: "Be brief." }), form);
  expect(first).toBeGreaterThan(second);
  expect(second).toBeGreaterThan(0);
  expect(new Set(later)).toEqual(new Set([second]));
});

test("a step hashes, measures and scans its own characters alone, and takes each item of the array once", async () => {
  let [chars, taken] = [0, 0];
  const told = <Part extends { readonly type: string }>(part: Part): Part => {
    const text = String(Reflect.get(part, "text") ?? "");
    const get = () => {
      chars += text.length;
      return text;
    };
    return part.type === "text" ? Object.defineProperty({ ...part }, "text", { enumerable: true, get }) : part;
  };
  const drafts: typeof PROMPTS.drafts = (items, before) =>
    PROMPTS.drafts(items, before).map((draft) => Object.assign({ ...draft }, { parts: draft.parts.map(told) }));
  const counted = createArrayCompactor({ ...PROMPTS, drafts }, options);
  const get = (target: PromptMessage[], key: string | symbol): unknown => {
    taken += /^\d+$/.test(String(key)) ? 1 : 0;
    return Reflect.get(target, key);
  };
  const items = [said("go")];
  const steps: { readonly chars: number; readonly taken: number }[] = [];
  for (let index = 0; index < 200; index += 1) {
    const id = `call_${String(index).padStart(3, "0")}`;
    items.push(...stepItems("ai-sdk", { id, result: `seen ${id}` }));
    [chars, taken] = [0, 0];
    await counted.fit(new Proxy(items, { get }));
    steps.push({ chars, taken: taken / items.length });
  }
  expect(steps.at(1)?.chars).toBeGreaterThan(0);
  expect(new Set(steps.slice(1).map((step) => step.chars)).size).toBe(1);
  expect(new Set(steps.map((step) => step.taken))).toEqual(new Set([1]));
});

test("a result finds the name of its call, the newest of that id, however far back it is", async () => {
  const compactor = createItemsCompactor(options);
  const call = (name: string) => ({ type: "function_call" as const, call_id: "a", name, arguments: "{}" });
  const output = (text: string) => ({ type: "function_call_output" as const, call_id: "a", output: text });
  const other = stepItems("openai-responses", { id: "b", result: "seen b" });
  await compactor.fit([{ role: "user", content: "go" }, call("old"), output("1"), ...other, call("new"), output("2")]);
  const [log] = compactor.conversations();
  const names = log?.entries.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "tool-result" ? [entry.message.toolName] : [],
  );
  expect(names).toEqual(["old", "look", "new"]);
});

/** A person's answers to questions in a reply, in a message of its own and beside a result. */
const APPROVAL = { type: "tool-approval-response" as const, approvalId: "approval_1", approved: true, providerExecuted: true };

test.each<readonly [string, typeof options.policy]>([
  ["compaction off", NONE_POLICY],
  ["its neighbour cut", { ...PLIMSOLL_POLICY, truncation: { capTokens: 200 } }],
])("an answer to an approval stays in the AI SDK's prompts with %s", async (_, policy) => {
  const answer: PromptMessage = { role: "tool", content: [APPROVAL] };
  const reply = (toolCallId: string): PromptMessage => ({
    role: "assistant",
    content: [{ type: "tool-call", toolCallId, toolName: "look", input: {} }],
  });
  const seen = { type: "text" as const, value: "seen call_1" };
  const result: PromptMessage = {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "call_1", toolName: "look", output: seen }],
  };
  const output = { type: "text" as const, value: "word ".repeat(2_000) };
  const beside: PromptMessage = {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "call_2", toolName: "look", output },
      { ...APPROVAL, approvalId: "approval_2" },
    ],
  };
  const messages: PromptMessage[] = [said("go"), reply("call_1"), answer, result, reply("call_2"), beside];
  const sent = await createArrayCompactor(PROMPTS, { ...options, policy }).fit(messages);
  expect(sent.slice(0, -1)).toEqual(messages.slice(0, -1));
  expect(sent.at(-1)?.content[1]).toEqual(beside.content[1]);
  expect(JSON.stringify(sent.at(-1)).length < 5_000).toBe(policy !== NONE_POLICY);
});
