import Anthropic from "@anthropic-ai/sdk";
import { type ContextEvent, contextTools, createMemoryArtifactStore, PLIMSOLL_POLICY } from "@plimsoll/core";
import { type SimulatedReply, type SimulatedRequest, startSimulator } from "@plimsoll/simulator";
import { createMemorySessionStore } from "@plimsoll/stores";
import OpenAI from "openai";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAnthropicSession } from "./anthropic/index.ts";
import { toolsFor } from "./context-tools.ts";
import { createMessagesCompactor } from "./drop-in/anthropic.ts";
import { createChatCompactor } from "./drop-in/openai-chat.ts";
import { createItemsCompactor } from "./drop-in/openai-responses.ts";

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

const LIMITS = { contextWindowTokens: 32_768, maxOutputTokens: 2_000 };
const text = (index: number) => `${index}: line of a file\n`.repeat(230);
const CLAUDE = "claude-opus-5-5";

function scripted({ asks, replyIndex }: SimulatedRequest): SimulatedReply {
  if (asks === "summary") return { parts: [{ type: "text", text: "The vendor's summary. ".repeat(40) }] };
  if (replyIndex % 25 === 24) return { parts: [{ type: "text", text: `Part ${replyIndex} is read.` }] };
  return { parts: [{ type: "tool-call", toolName: "read_file", argumentsJson: `{"path":"src/${replyIndex}.ts"}` }] };
}

/** A vendor that binds thinking, and what came of 100 steps: requests that read less of the cache than the one before, beside the cuts. */
async function vendor() {
  const asked: SimulatedRequest[] = [];
  const replies = (request: SimulatedRequest) => {
    asked.push(request);
    return scripted(request);
  };
  const { contextWindowTokens } = LIMITS;
  const simulator = await startSimulator({ replies, reasoning: "every-reply", contextWindowTokens, nowMs: () => 0 });
  onTestFinished(() => simulator.close());
  const ends: Extract<ContextEvent, { type: "compaction-end" }>[] = [];
  const onEvent = (event: ContextEvent) => void (event.type === "compaction-end" && ends.push(event));
  const outcome = () => {
    const exchanges = simulator.exchanges();
    const replied = asked.flatMap(({ asks, index }) => (asks === "reply" ? (exchanges[index] ?? []) : []));
    const reads = replied.map(({ cacheReadTokens }) => cacheReadTokens ?? 0);
    const breaks = reads.filter((read, index) => read < (reads[index - 1] ?? 0)).length;
    return {
      refused: exchanges.filter((each) => each.outcome !== "answered").length,
      dropped: exchanges.reduce((sum, { drops }) => sum + drops.length, 0),
      lost: ends.reduce((sum, { entry }) => sum + (entry.removedReasoning?.length ?? 0), 0),
      toolLists: new Set(asked.map(({ toolNames }) => toolNames.join())).size,
      breaksBeyondCuts: breaks - ends.length,
    };
  };
  return { simulator, ends, outcome, options: { policy: "plimsoll-vendor", limits: LIMITS, onEvent } };
}

const KEPT = { refused: 0, dropped: 0, lost: 0, toolLists: 1, breaksBeyondCuts: 0 };

describe("declared and never called, 100 steps under bound thinking", () => {
  test("an array of Messages loses no thinking and breaks no cache but at its cuts", async () => {
    const { simulator, ends, outcome, options } = await vendor();
    const compactor = createMessagesCompactor(options);
    const read_file = { name: "read_file", input_schema: { type: "object" as const } };
    const tools = [read_file, ...toolsFor("anthropic", contextTools(compactor))];
    const setting = {
      model: CLAUDE,
      max_tokens: 2_000,
      system: "You read files.",
      cache_control: { type: "ephemeral" },
    } as const;
    const headers = { headers: { "anthropic-beta": "compact-2026-09-04" } };
    const { messages: asking } = new Anthropic({ apiKey: "key", baseURL: simulator.url, maxRetries: 0 });
    const ask = (messages: Anthropic.MessageParam[]) => asking.create({ ...setting, tools, messages }, headers);
    const compact = (messages: Anthropic.MessageParam[]) =>
      asking.create({ ...setting, tools, messages, ...{ compaction: { type: "summarize" } } }, headers);
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Read on." }];
    for (let step = 0; step < 100; step++) {
      const { content } = await compactor.send(messages, ask, { system: setting.system, tools, compact });
      const results = content.flatMap((block) =>
        block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: text(step) }] : [],
      );
      messages.push({ role: "assistant", content }, { role: "user", content: results.length > 0 ? results : "Go on." });
    }
    expect(outcome()).toEqual(KEPT);
    expect(ends.length).toBeGreaterThan(2);
  });

  test("an array of Responses items does, too", async () => {
    const { simulator, ends, outcome, options } = await vendor();
    const compactor = createItemsCompactor(options);
    const tools = [
      { type: "function" as const, name: "read_file", strict: false, parameters: { type: "object" } },
      ...toolsFor("openai-responses", contextTools(compactor)),
    ];
    const request = {
      model: "gpt-6.2-sol",
      instructions: "You read files.",
      store: false,
      include: ["reasoning.encrypted_content" as const],
    };
    const { responses } = new OpenAI({ apiKey: "key", baseURL: simulator.openAiUrl, maxRetries: 0 });
    const items: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: "Read on." }];
    for (let step = 0; step < 100; step++) {
      const call = (input: typeof items) => responses.create({ ...request, tools, input });
      const compact = (input: typeof items) =>
        responses.compact({ model: request.model, instructions: request.instructions, input });
      const { output } = await compactor.send(items, call, { system: request.instructions, tools, compact });
      items.push(...(output as typeof items));
      const calls = output.flatMap((item) => (item.type === "function_call" ? [item.call_id] : []));
      for (const call_id of calls) items.push({ type: "function_call_output", call_id, output: text(step) });
      if (calls.length === 0) items.push({ role: "user", content: "Go on." });
    }
    expect(outcome()).toEqual(KEPT);
    expect(ends.length).toBeGreaterThan(2);
  });
});

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
    const events: ContextEvent[] = [];
    const compactor = createChatCompactor({ ...options, onEvent: (event) => void events.push(event) });
    const { execute } = contextTools(compactor);
    const [ann, ben] = [said("ann", 30), said("ben", 30)];
    await compactor.fit(ann, { conversation: "ann" });
    expect(await execute("recall", { words: "ann" })).toContain("ann has read");
    await compactor.fit(ben, { conversation: "ben" });
    expect(await execute("recall", { words: "ann" })).toContain("did not say in which conversation");
    expect(await execute("recall", { words: "ann" }, "ben")).toContain("Nothing that left your context");
    expect(await execute("recall", { words: "ann" }, [...ann, { role: "assistant", content: "Done." }])).toContain(
      "ann has read",
    );
    expect(await execute("recall", { words: "ann" }, "eve")).toContain("did not say in which conversation");
    expect(events.flatMap((event) => (event.type === "context-call-unnamed" ? [event.why] : []))).toEqual([
      "2 conversations are in memory: name one in execute or toolsFor",
      "no conversation has that name: give its key or array in execute or toolsFor",
    ]);
    const handle = /^(\S+), from/m.exec(String(await execute("recall", { words: "ann" }, "ann")))?.[1] ?? "";
    expect(await execute("recall", { handle }, "ann")).toContain("ann has read");
    expect(await execute("recall", { handle }, "ben")).toBe("This session has no such handle.");
  });

  test("rejects an unnamed call without a handler of events, in loops of SDKs too, and its reports name theirs", async () => {
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
  expect(request.tools?.map((tool) => ("name" in tool ? tool.name : ""))).toEqual([
    "read_file",
    "remaining",
    "recall",
    "pin",
    "compact",
  ]);
  const content = [{ type: "tool_use", id: "t1", name: "read_file", input: {} }];
  const usage = { input_tokens: 900, output_tokens: 10 };
  session.reply({
    id: "m",
    type: "message",
    role: "assistant",
    model: CLAUDE,
    content,
    stop_reason: "tool_use",
    usage,
  } as never);
  session.result("t1", `the first line\n${text(1)}the last line`);
  const sent = JSON.stringify(await session.request());
  const handle = /artifact:[0-9a-f]{64}/.exec(sent)?.[0] ?? "";
  expect(await tools.execute("recall", { handle, start: 3 })).toContain(" first line\n1: line of a file");
  expect(session.conversation.state().answeredRequestIds).toEqual([]);
});
