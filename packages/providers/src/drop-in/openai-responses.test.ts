import { NONE_POLICY, PI_POLICY, PLIMSOLL_POLICY, type Policy } from "@plimsoll/core";
import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { createItemsCompactor } from "./openai-responses.ts";

type Item = OpenAI.Responses.ResponseInputItem;

const LIMITS = { contextWindowTokens: 20_000, maxOutputTokens: 1_000 };
/** About 1,250 tokens. */
const LONG = "word ".repeat(1_000);
const GO: Item = { role: "user", content: "Mend all files." };
const said = (text: string): Item => ({ role: "assistant", content: text });
const customCall = (id: string, input = LONG): Item => ({ type: "custom_tool_call", call_id: id, name: "apply_patch", input });
const customOutput = (id: string, output = LONG): Item => ({ type: "custom_tool_call_output", call_id: id, output });

/** An item without a type in the SDK. */
function later(fields: { readonly [key: string]: unknown }): Item {
  return Object.assign({}, GO, { type: "later_update", content: undefined, role: undefined }, fields);
}

/** Reply and answer of a step, by the caller of the tool. */
const STEPS: readonly (readonly [string, (id: string) => readonly Item[]])[] = [
  ["custom calls", (id) => [customCall(id), customOutput(id)]],
  [
    "calls in a namespace",
    (id) => [
      { type: "function_call", call_id: id, namespace: "mcp__files", name: "read", arguments: JSON.stringify({ path: LONG }) },
      { type: "function_call_output", call_id: id, output: [{ type: "input_text", text: LONG }] },
    ],
  ],
  [
    "local shell calls",
    (id) => [
      {
        type: "local_shell_call",
        id: `lsh_${id}`,
        call_id: id,
        status: "completed",
        action: { type: "exec", command: [LONG], env: {} },
      },
      { type: "function_call_output", call_id: id, output: LONG },
    ],
  ],
  [
    "shell calls",
    (id) => [
      { type: "shell_call", call_id: id, action: { commands: [LONG] } },
      {
        type: "shell_call_output",
        call_id: id,
        output: [{ stdout: LONG, stderr: "", outcome: { type: "exit", exit_code: 0 } }],
      },
    ],
  ],
  [
    "patches",
    (id) => [
      { type: "apply_patch_call", call_id: id, status: "completed", operation: { type: "update_file", path: "a", diff: LONG } },
      { type: "apply_patch_call_output", call_id: id, status: "completed", output: LONG },
    ],
  ],
  [
    "searches for tools",
    (id) => [
      { type: "tool_search_call", call_id: id, execution: "client", arguments: { query: LONG } },
      {
        type: "tool_search_output",
        call_id: id,
        execution: "client",
        tools: [{ type: "custom", name: "f", description: LONG }],
      },
    ],
  ],
  [
    "searches of the server",
    (id) => [
      { role: "user", content: `Look for ${id}.` },
      { type: "web_search_call", id: `ws_${id}`, status: "completed", action: { type: "search", query: LONG } },
      said(`Found ${id}. ${LONG}`),
    ],
  ],
  [
    "calls that the server ran",
    (id) => [
      { role: "user", content: `Read ${id}.` },
      { type: "mcp_call", id: `mcp_${id}`, server_label: "files", name: "read", arguments: "{}", output: LONG + LONG },
      said(`Read ${id}.`),
    ],
  ],
];

const session = (step: (id: string) => readonly Item[], count: number): Item[] => [
  GO,
  ...Array.from({ length: count }, (_, index) => step(`call_${index}`)).flat(),
];

const compactorWith = (policy: Policy) => createItemsCompactor({ policy, limits: LIMITS });
const charsOf = (items: readonly Item[]) => JSON.stringify(items).length;

describe("items of every kind are counted, and leave with what belongs to them", () => {
  test.each(STEPS)("%s", async (_, step) => {
    const own = session(step, 24);
    const fitted = await compactorWith(PI_POLICY).fit(own);
    expect(charsOf(own)).toBeGreaterThan(240_000);
    expect(charsOf(fitted)).toBeLessThan(4 * LIMITS.contextWindowTokens * 1.3);
    const kept = fitted.filter((item) => own.includes(item) && item !== GO);
    expect(kept.length).toBeGreaterThan(1);
    // The kept part of the steps is their end, and begins with a step: no output without its call.
    expect(kept).toEqual(own.slice(own.length - kept.length));
    expect(String(kept[0]?.type)).not.toMatch(/_output$/);
  });
});

test.each(STEPS)("a session with %s that fits comes back as its own objects", async (_, step) => {
  const own = session(step, 2);
  const fitted = await compactorWith(PLIMSOLL_POLICY).fit(own);
  expect(fitted).toHaveLength(own.length);
  expect(fitted.every((item, index) => item === own[index])).toBe(true);
});

async function speakersOf(items: readonly Item[]): Promise<readonly string[]> {
  const compactor = compactorWith(NONE_POLICY);
  await compactor.fit(items);
  const entries = compactor.conversations()[0]?.entries ?? [];
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  return messages.map((message) => (message.role === "user" ? `user ${message.origin}` : message.role));
}

test.each<[string, readonly Item[], readonly string[]]>([
  ["a custom call and its output", [GO, customCall("a"), customOutput("a")], ["user human", "assistant", "tool-result"]],
  [
    "a developer's",
    [GO, said("Yes."), { role: "developer", content: "Be brief." }],
    ["user human", "assistant", "user declared"],
  ],
  ["an item of a later type, by its role", [GO, later({ role: "developer", effort: "high" })], ["user human", "user declared"]],
  ["a change of the configuration", [GO, later({ type: "configuration_update" })], ["user human", "user declared"]],
  [
    "an answer to the server's question",
    [
      GO,
      { type: "mcp_approval_request", id: "mcpr_1", server_label: "files", name: "read", arguments: "{}" },
      { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
    ],
    ["user human", "assistant", "user injected"],
  ],
  ["tools that are added", [GO, { type: "additional_tools", role: "developer", tools: [] }], ["user human", "user declared"]],
  ["an item that declares something before all others", [later({ role: "developer" }), GO], ["user human"]],
])("%s is never filed as a person's words", async (_, items, roles) => {
  expect(await speakersOf(items)).toEqual(roles);
});

test("what the array begins with is overhead, its tools among the request's own, and stays however much is cut", async () => {
  const brought: Item = {
    type: "additional_tools",
    role: "developer",
    tools: [
      { type: "custom", name: "exec", description: LONG },
      { type: "namespace", name: "files", description: "f", tools: [] },
    ],
  };
  const told: Item[] = ["one", "two"].map((content) => ({ type: "message", role: "developer", content }));
  const compactor = compactorWith(PI_POLICY);
  const own = [brought, ...told, ...session((id) => [customCall(id), customOutput(id)], 24)];
  const fitted = await compactor.fit(own, { tools: [{ name: "own", description: "", parametersJson: "{}" }] });
  expect(fitted.slice(0, 3).every((item, index) => item === own[index])).toBe(true);
  expect(fitted.length).toBeLessThan(own.length);
  const start = compactor.conversations()[0]?.entries[0];
  expect(start).toMatchObject({
    type: "session",
    system: "one\ntwo",
    tools: [{ name: "exec" }, { name: "files" }, { name: "own" }],
  });
});

test("tools that are added later are as large as at the beginning", async () => {
  const name = "exec";
  const description = 'Says "it".\n'.repeat(400);
  const added: Item = { type: "additional_tools", role: "developer", tools: [{ type: "custom", name, description }] };
  const sizeOf = async (own: readonly Item[]) => {
    const compactor = compactorWith(PI_POLICY);
    await compactor.fit(own);
    const [entry] = compactor.conversations()[0]?.entries ?? [];
    const tools = entry?.type === "session" ? entry.tools.map((tool) => Object.values(tool).join("\n").length) : [];
    const later = (compactor.conversations()[0]?.entries ?? []).flatMap((each) =>
      each.type === "message" && each.message.role === "user" && each.message.origin === "declared"
        ? each.message.parts.map((part) => (part.type === "text" ? part.text.length : 0))
        : [],
    );
    return [...tools, ...later];
  };
  expect(await sizeOf([GO, added, said("Yes."), GO])).toEqual(await sizeOf([added, GO, said("Yes."), GO]));
});

/** A result far over the cap of a policy that cuts arriving results, and one that is not. */
const CUTTING: Policy = { ...PLIMSOLL_POLICY, truncation: { capTokens: 200 } };

test.each<[string, readonly Item[], object]>([
  ["a custom output", [GO, customCall("a", "x"), customOutput("a")], { type: "custom_tool_call_output", call_id: "a" }],
  [
    "an output with its caller",
    [
      GO,
      { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "a", id: "fco_1", caller: { type: "direct" }, output: LONG },
    ],
    { type: "function_call_output", call_id: "a", id: "fco_1", caller: { type: "direct" } },
  ],
  [
    "a shell's output",
    [
      GO,
      { type: "shell_call", call_id: "a", action: { commands: ["ls"] } },
      {
        type: "shell_call_output",
        call_id: "a",
        output: [{ stdout: LONG, stderr: "", outcome: { type: "exit", exit_code: 0 } }],
      },
    ],
    { type: "shell_call_output", output: [{ stderr: "", outcome: { type: "exit", exit_code: 0 } }] },
  ],
])("%s that is cut when it arrives stays what it is", async (_, items, kept) => {
  const fitted = await compactorWith(CUTTING).fit(items);
  const last = fitted.at(-1);
  expect(last).toMatchObject(kept);
  expect(JSON.stringify(last).length).toBeLessThan(1_500);
  expect(fitted.slice(0, -1)).toEqual(items.slice(0, -1));
});

test("of a reply whose text is cut the other items stay the caller's own", async () => {
  const reasoning: Item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" };
  const call = customCall("a", "x");
  const policy: Policy = {
    ...PLIMSOLL_POLICY,
    trigger: { atLeast: { tokens: 1_000 } },
    strategies: [{ kind: "cut-oversized", to: "stubs" }],
  };
  const items: Item[] = [GO, reasoning, said(LONG.repeat(20)), call, customOutput("a", "Done."), GO];
  const fitted = await compactorWith(policy).fit(items);
  expect(fitted[1]).toBe(reasoning);
  expect(fitted[2]).toMatchObject({ role: "assistant" });
  expect(charsOf(fitted)).toBeLessThan(3_000);
  expect(fitted[3]).toBe(call);
});
