import { contextTools, createMemoryArtifactStore, PLIMSOLL_POLICY } from "@plimsoll/core";
import { createMemorySessionStore } from "@plimsoll/stores";
import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { createAnthropicSession } from "./anthropic/index.ts";
import { toolsFor } from "./context-tools.ts";
import { createChatCompactor } from "./drop-in/openai-chat.ts";

const NOBODY = { contextCall: () => Promise.resolve("said") };

describe("the form of each SDK", () => {
  const tools = contextTools(NOBODY, { offer: ["pin", "recall"] });
  const made = (...given: unknown[]) => given.slice(-1)[0];
  test.each([
    ["openai-chat", () => toolsFor("openai-chat", tools), { function: { name: "recall", parameters: { type: "object" } } }],
    ["openai-responses", () => toolsFor("openai-responses", tools), { type: "function", name: "recall", strict: false }],
    ["anthropic", () => toolsFor("anthropic", tools), { name: "recall", input_schema: { type: "object", required: [] } }],
    ["anthropic, deferred", () => toolsFor("anthropic", tools, "deferred"), { name: "recall", defer_loading: true }],
    ["mcp", () => toolsFor("mcp", tools), { name: "recall", inputSchema: { type: "object" } }],
    ["langchain", () => toolsFor("langchain", tools, made), { name: "recall", schema: { additionalProperties: false } }],
    ["openai-agents", () => toolsFor("openai-agents", tools, made), { name: "recall", strict: false }],
  ] as const)("%s: the same bytes at each call, only the tools offered", (_, forms, expected) => {
    expect(forms()).toMatchObject([expected, {}]);
    expect(JSON.stringify(forms())).toBe(JSON.stringify(forms()));
    expect(JSON.stringify(forms())).not.toContain('"compact"');
  });

  test("gemini has one tool with all declarations, and the AI SDK's runs", async () => {
    expect(toolsFor("gemini", tools)).toMatchObject([{ functionDeclarations: [{ name: "recall" }, { name: "pin" }] }]);
    const { recall, pin } = toolsFor("ai-sdk", tools, (schema) => schema);
    expect(pin?.inputSchema).toMatchObject({ required: ["text"] });
    expect(await recall?.execute({ handle: "x" })).toBe("said");
  });
});

test.each<readonly [string, () => unknown, string]>([
  ["an unknown SDK", () => Reflect.apply(toolsFor, null, ["aisdk", contextTools(NOBODY)]), "did you mean ai-sdk?"],
  [
    "no function",
    () => Reflect.apply(toolsFor, null, ["ai-sdk", contextTools(NOBODY)]),
    'toolsFor("ai-sdk", tools, jsonSchema)',
  ],
  ["another kind", () => Reflect.apply(toolsFor, null, ["langchain", contextTools(NOBODY), {}]), "need its `tool`"],
  ["an unknown tool", () => Reflect.apply(contextTools, null, [NOBODY, { offer: ["pins"] }]), "did you mean pin?"],
])("%s is refused with the right one", (_, make, message) => {
  expect(make).toThrow(message);
});

const text = (index: number) => `${index}: line of a file\n`.repeat(230);
const CLAUDE = "claude-opus-5-5";

describe("a compactor of several conversations", () => {
  type Items = OpenAI.ChatCompletionMessageParam[];
  const said = (name: string, count = 2): Items => [
    { role: "user", content: `Read for ${name}.` },
    ...Array.from({ length: count }, (_, step): Items => {
      const id = `${name}${step}`;
      const call = { id, type: "function" as const, function: { name: "read_file", arguments: "{}" } };
      return [
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: id, content: `${name} has read ${text(step)}` },
      ];
    }).flat(),
  ];
  const options = { policy: "plimsoll", model: "gpt-5-mini", limits: { contextWindowTokens: 16_000, maxOutputTokens: 1_000 } };

  test("answers in the one that the call names, by key or by array, and gives no other's text", async () => {
    const compactor = createChatCompactor({ ...options, onEvent: () => undefined });
    const { execute } = contextTools(compactor);
    const [ann, ben] = [said("ann", 30), said("ben", 30)];
    await compactor.fit(ann, { conversation: "ann" });
    expect(await execute("recall", { words: "ann" })).toContain("ann has read");
    await compactor.fit(ben, { conversation: "ben" });
    expect(await execute("recall", { words: "ann" }, "ben")).toContain("Nothing that left your context");
    expect(await execute("recall", { words: "ann" }, [...ann, { role: "assistant", content: "Done." }])).toContain(
      "ann has read",
    );
    const place = "in execute or toolsFor";
    await expect(execute("recall", { words: "ann" })).rejects.toThrow(`2 conversations are in memory: name one ${place}`);
    await expect(execute("recall", { words: "ann" }, "eve")).rejects.toThrow(
      `no conversation has that name: give its key or array ${place}`,
    );
    const handle = /^(\S+), from/m.exec(String(await execute("recall", { words: "ann" }, "ann")))?.[1] ?? "";
    expect(await execute("recall", { handle }, "ann")).toContain("ann has read");
    expect(await execute("recall", { handle }, "ben")).toBe("This session has no such handle.");
  });

  test("rejects an unnamed call, in loops of SDKs too, and its reports name theirs", async () => {
    const compactor = createChatCompactor(options);
    const tools = contextTools(compactor);
    for (const key of ["ann", "ben"]) {
      await compactor.fit(said(key), { conversation: key });
      expect(compactor.last).toMatchObject({ key });
    }
    const expected = {
      code: "bad-input",
      message: "recall was not answered: 2 conversations are in memory: name one in execute or toolsFor",
    };
    const { recall } = toolsFor("ai-sdk", tools, (schema) => schema);
    const made = (fields: { name: string; execute: (args: unknown) => Promise<string>; errorFunction: null }) => fields;
    const [, agents] = toolsFor("openai-agents", tools, made);
    expect(agents).toMatchObject({ name: "recall", errorFunction: null });
    for (const call of [(args: unknown) => tools.execute("recall", args), recall?.execute, agents?.execute])
      await expect(call?.({ words: "ann" })).rejects.toMatchObject(expected);
  });

  test("keeps a pin through a restart, and an undo takes it back", async () => {
    const sessions = createMemorySessionStore();
    const artifacts = createMemoryArtifactStore();
    const first = createChatCompactor({ ...options, sessions, artifacts });
    await first.fit(said("ann"), { conversation: "ann" });
    const { execute } = contextTools(first);
    await execute("pin", '{"text":"The code is 4711."}', "ann");
    await execute("pin", { text: "It is taken back." }, said("ann"));
    await first.undo(first.conversations()[0]?.sessionId ?? "");
    await first.close();
    const again = createChatCompactor({ ...options, sessions, artifacts });
    const sent = await again.fit(said("ann", 30), { conversation: "ann", now: { reason: "manual", keep: null } });
    expect(JSON.stringify(sent)).toContain("The code is 4711.");
    expect(JSON.stringify(sent)).not.toContain("It is taken back.");
  });
});

test("a session of an SDK declares them before it is there, and recalls a result that was cut when it arrived", async () => {
  const tools = contextTools(() => session);
  const declared = [{ name: "read_file", input_schema: { type: "object" as const } }, ...toolsFor("anthropic", tools)];
  const session = await createAnthropicSession({
    policy: { ...PLIMSOLL_POLICY, truncation: { capTokens: 300 } },
    request: { model: CLAUDE, max_tokens: 2_000, tools: declared },
  });
  session.user("Read.");
  const request = await session.request();
  expect(request.tools).toMatchObject([{ name: "read_file" }, ...tools.definitions.map(({ name }) => ({ name }))]);
  const content = [{ type: "tool_use", id: "t1", name: "read_file", input: {} }];
  const usage = { input_tokens: 900, output_tokens: 10 };
  const answer = { id: "m", type: "message", role: "assistant", model: CLAUDE, content, stop_reason: "tool_use", usage };
  session.reply(answer as never);
  session.result("t1", `the first line\n${text(1)}a needle\n${text(1)}the last line`);
  const sent = JSON.stringify(await session.request());
  const handle = /artifact:[0-9a-f]{64}/.exec(sent)?.[0] ?? "";
  expect(await tools.execute("recall", { handle, start: 3 })).toContain(" first line\n1: line of a file");
  expect(await tools.execute("recall", { words: "needle" })).toContain("\na needle\n");
  expect(session.conversation.state().answeredRequestIds).toEqual([]);
});
