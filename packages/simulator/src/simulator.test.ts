import { request as httpRequest } from "node:http";
import { describe, expect, test } from "vitest";
import { ask as post, simulatorWith } from "../testing/simulator-with.ts";
import { repliesOfTranscript, type Simulator, type SimulatorOptions, startSimulator } from "./index.ts";
import { encryptedReasoning } from "./openai-responses-items.ts";
import { signatureOf } from "./wire.ts";

const VERSION = { "anthropic-version": "2023-06-01" };

const call = (id: string) => ({ type: "tool_use", id, name: "f", input: {} });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "x" });
const user = (content: unknown) => ({ role: "user", content });
const assistant = (content: unknown) => ({ role: "assistant", content });
const go = user("go");
const mark = { cache_control: { type: "ephemeral" } };

/** A request whose Host a browser would not let a page set; gives the status. */
function askAs({ port }: Simulator, headers: Readonly<Record<string, string>>, method = "POST"): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port, path: "/v1/models", method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject).end();
  });
}

describe("only programs on this machine are served", () => {
  test.each<[string, Readonly<Record<string, string>>, number]>([
    ["under its address", {}, 200],
    ["under its name", { host: "localhost" }, 200],
    ["under a name that was pointed at this machine", { host: "rebound.example" }, 403],
    ["under such a name with a port", { host: "rebound.example:8484" }, 403],
    ["under a name that begins like its own", { host: "localhost.rebound.example" }, 403],
    ["from a page in a browser", { origin: "https://page.example" }, 403],
    ["from a page without an origin of its own", { origin: "null" }, 403],
    ["from a page that this machine serves", { origin: "http://127.0.0.1:3000" }, 403],
  ])("%s", async (_, headers, status) => {
    expect(await askAs(await simulatorWith(), headers, "GET")).toBe(status);
  });

  test("what is not served is not read, and leaves no exchange", async () => {
    const simulator = await simulatorWith();
    expect(await askAs(simulator, { origin: "https://page.example" })).toBe(403);
    expect(simulator.exchanges()).toEqual([]);
  });
});

describe("half a character makes a body that is no JSON", () => {
  const chat = { model: "m", messages: [user("\ud83d")] };
  test.each<[string, string, object]>([
    ["the Messages wire", "messages", { ...chat, max_tokens: 100 }],
    ["in a key of a call's input", "messages", { ...chat, max_tokens: 100, messages: [user("go"), { "\udc00": 1 }] }],
    ["the Chat Completions wire", "chat/completions", chat],
    ["the Responses wire", "responses", { model: "m", input: "\udc00" }],
  ])("%s", async (_, path, body) => {
    expect(await post(await simulatorWith(), path, body)).toMatchObject({
      status: 400,
      answer: { error: { type: "invalid_request_error", message: expect.stringContaining("JSON") } },
    });
  });
});

describe("the largest reply is the one that is handed in", () => {
  const ask = (model: string, tokens: number) =>
    [
      ["messages", { model, max_tokens: tokens, messages: [go] }],
      ["chat/completions", { model, max_completion_tokens: tokens, messages: [go] }],
      ["responses", { model, max_output_tokens: tokens, input: "go" }],
    ] as const;

  const byModel = (model: string) => (model === "known" ? 32_000 : null);

  test.each<[string, SimulatorOptions["maximumOutputTokens"] & {}, string, number]>([
    ["for every model", 8_192, "known", 8_192],
    ["for the model", byModel, "known", 32_000],
    ["for other models, which have the default", byModel, "unknown", 128_000],
  ])("%s", async (_, maximumOutputTokens, model, largest) => {
    const simulator = await simulatorWith({ contextWindowTokens: 2_000_000, maximumOutputTokens });
    const statusesOf = (tokens: number) =>
      Promise.all(ask(model, tokens).map(async ([path, body]) => (await post(simulator, path, body)).status));
    expect(await statusesOf(largest)).toEqual([200, 200, 200]);
    expect(await statusesOf(largest + 1)).toEqual([400, 400, 400]);
  });
});

test("a connection is kept until its client closes it", async () => {
  const { headers } = await fetch(`${(await simulatorWith()).url}/v1/models`);
  expect([headers.get("connection"), headers.get("keep-alive")]).toEqual(["keep-alive", null]);
});

test("a text block has no field that SDKs refuse when it is empty", async () => {
  const { answer } = await post(await simulatorWith(), "messages", { model: "m", max_tokens: 100, messages: [go] });
  expect(answer).toMatchObject({ content: [{ type: "text", text: "well" }] });
  expect(JSON.stringify(answer)).not.toContain("citations");
});

describe("neighbours of one role are one message to the vendor", () => {
  const thought = (text: string) => ({ type: "thinking", thinking: text, signature: signatureOf(text) });
  const words = (text: string) => ({ type: "text", text });
  const ask = async (messages: readonly unknown[]) => {
    const thinking = { type: "enabled", budget_tokens: 2_000 };
    const { answer } = await post(await simulatorWith(), "messages", { model: "m", max_tokens: 4_000, messages, thinking });
    return JSON.stringify(answer);
  };

  test("reasoning behind another message's text is refused", async () => {
    const open = [go, assistant("so far"), assistant([thought("why"), call("a")]), user([result("a")])];
    expect(await ask(open)).toContain("Expected `thinking` or `redacted_thinking`, but found `text`");
    const settled = [go, assistant("so far"), assistant([thought("why"), words("done")]), go];
    expect(await ask(settled)).toContain("If an assistant message contains any thinking blocks, the first block must be");
  });

  test("reasoning at a message's end is taken if the next one goes on from it", async () => {
    expect(await ask([go, assistant([thought("why")]), assistant("because"), go])).toContain("end_turn");
    expect(await ask([go, assistant([words("so"), thought("why")]), go])).toContain("cannot be `thinking`");
  });
});

describe("a Chat Completions server that wants person and model in turn", () => {
  const calling = { ...assistant(null), tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }] };
  const answered = [calling, { role: "tool", tool_call_id: "a", content: "x" }];
  test.each<[string, readonly unknown[], string | null]>([
    ["two messages of the person", [go, go], "must alternate"],
    ["two messages of the model", [go, assistant("a"), assistant("b")], "must alternate"],
    ["the person right after results", [go, ...answered, go], "Unexpected role 'user' after role 'tool'"],
    ["the model first", [assistant("a"), go], "Expected the first message"],
    ["both in turn, with results", [{ role: "system", content: "s" }, go, ...answered, ...[assistant("b"), go]], null],
  ])("%s", async (_, messages, expected) => {
    const { status, answer } = await post(await simulatorWith({ roles: "alternate" }), "chat/completions", {
      model: "m",
      messages,
    });
    expect(status).toBe(expected === null ? 200 : 400);
    expect(JSON.stringify(answer)).toContain(expected ?? "chat.completion");
    expect((await post(await simulatorWith(), "chat/completions", { model: "m", messages })).status).toBe(200);
  });
});

describe("the Messages wire", () => {
  const body = (messages: readonly unknown[], rest: object = {}) => ({ model: "m", max_tokens: 100, messages, ...rest });

  test.each<[string, unknown, string]>([
    ["no model", { max_tokens: 1, messages: [go] }, "model: Field required"],
    ["no limit of the reply", { model: "m", messages: [go] }, "max_tokens: Field required"],
    [
      "a reply that is too long",
      body([go], { max_tokens: 128_001 }),
      "max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens for m",
    ],
    ["no messages", body([]), "messages: at least one message is required"],
    ["a reply first", body([assistant("hi"), go]), 'messages: first message must use the "user" role'],
    ["another role", body([go, { role: "tool", content: "x" }]), "messages.1.role: Input should be 'user' or 'assistant'"],
    [
      "a prefill",
      body([go, assistant("The")]),
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    ],
    ["empty text", body([user("")]), "messages: text content blocks must be non-empty"],
    ["blank text", body([user(" \n")]), "messages: text content blocks must contain non-whitespace text"],
    [
      "empty text in a result",
      body([go, assistant([call("a")]), user([{ ...result("a"), content: [{ type: "text", text: "" }] }])]),
      "messages: text content blocks must be non-empty",
    ],
    [
      "a tool's name with other characters",
      body([go], { tools: [{ name: "a.b", input_schema: { type: "object" } }] }),
      "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ],
    [
      "no content",
      body([go, assistant([]), go]),
      "messages.1: all messages must have non-empty content except for the optional final assistant message",
    ],
    [
      "a call without a result",
      body([go, assistant([call("a"), call("b")]), user([result("a")])]),
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ],
    [
      "text before the results",
      body([go, assistant([call("a")]), user([{ type: "text", text: "so" }, result("a")])]),
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ],
    [
      "a result without a call",
      body([go, assistant("hi"), user([result("a")])]),
      "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ],
    [
      "two results of a call",
      body([go, assistant([call("a")]), user([result("a"), result("a")])]),
      "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a",
    ],
    [
      "an id twice",
      body([go, assistant([call("a")]), user([result("a")]), assistant([call("a")]), user([result("a")])]),
      "messages.3: `tool_use` ids must be unique",
    ],
    [
      "an id of other characters",
      body([go, assistant([call("a.b")]), user([result("a.b")])]),
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      "a call's name with other characters",
      body([go, assistant([{ ...call("a"), name: "files.read" }]), user([result("a")])]),
      "messages.1.content.0.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ],
    [
      "arguments that are no object",
      body([go, assistant([{ ...call("a"), input: "text" }]), user([result("a")])]),
      "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ],
    [
      "a signature that is not the vendor's",
      body([go, assistant([{ type: "thinking", thinking: "hm", signature: "mine" }, call("a")]), user([result("a")])]),
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    ],
    [
      "reasoning at the end",
      body([go, assistant([{ type: "thinking", thinking: "hm", signature: signatureOf("hm") }]), go]),
      "messages.1: The final block in an assistant message cannot be `thinking`.",
    ],
    [
      "five breakpoints",
      body(Array.from({ length: 5 }, () => user([{ type: "text", text: "x", ...mark }]))),
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "a long breakpoint after a short one",
      body([
        user([{ type: "text", text: "x", ...mark }]),
        user([{ type: "text", text: "y", cache_control: { type: "ephemeral", ttl: "1h" } }]),
      ]),
      "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
    ],
    [
      "a breakpoint on empty text",
      body([user([{ type: "text", text: "", ...mark }])]),
      "messages.0.content.0.text: cache_control cannot be set for empty text blocks",
    ],
    ["empty system text", body([go], { system: "" }), "system: text content blocks must be non-empty"],
    [
      "a breakpoint on empty system text",
      body([go], { system: [{ type: "text", text: "", ...mark }] }),
      "system.0: cache_control cannot be set for empty text blocks",
    ],
    [
      "a breakpoint on reasoning",
      body([go, assistant([{ type: "thinking", thinking: "hm", signature: signatureOf("hm"), ...mark }, call("a")]), go]),
      "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
    ],
    [
      "reasoning without a signature",
      body([go, assistant([{ type: "thinking", thinking: "hm" }, call("a")]), user([result("a")])]),
      "messages.1.content.0.thinking.signature: Field required",
    ],
    ["a tool without a schema", body([go], { tools: [{ name: "f" }] }), "tools.0.custom.input_schema: Field required"],
    ["a temperature over one", body([go], { temperature: 1.1 }), "temperature: Input should be less than or equal to 1"],
    [
      "a temperature with thinking",
      body([go], { temperature: 0.2, thinking: { type: "adaptive" } }),
      "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our documentation at https://platform.claude.com/docs/en/build-with-claude/extended-thinking",
    ],
    [
      "a forced tool with thinking",
      body([go], { tool_choice: { type: "any" }, thinking: { type: "adaptive" } }),
      "Thinking may not be enabled when tool_choice forces tool use.",
    ],
    [
      "a budget of thinking that is too small",
      body([go], { thinking: { type: "enabled", budget_tokens: 500 } }),
      "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    ],
    [
      "a budget of thinking that leaves no room",
      body([go], { max_tokens: 2_000, thinking: { type: "enabled", budget_tokens: 2_000 } }),
      "`max_tokens` must be greater than `thinking.budget_tokens`.",
    ],
    [
      "one tool twice",
      body([go], { tools: [1, 2].map(() => ({ name: "f", input_schema: { type: "object" } })) }),
      "tools: Tool names must be unique.",
    ],
  ])("refuses %s", async (_, request, message) => {
    const simulator = await simulatorWith();
    expect(await post(simulator, "messages", request)).toEqual({
      status: 400,
      answer: { type: "error", error: { type: "invalid_request_error", message }, request_id: "req_simulated" },
      error: message,
    });
    expect(simulator.exchanges()).toMatchObject([{ outcome: "rejected", status: 400, error: message }]);
  });

  test("takes the vendor's own tools without a schema", async () => {
    const simulator = await simulatorWith();
    const tools = [{ type: "web_search_20250305", name: "web_search" }];
    expect(await post(simulator, "messages", body([go], { tools }))).toMatchObject({ status: 200 });
  });

  test.each([
    ["that ends in words is taken", "The answer is", 200, null],
    [
      "with white space last is not",
      "The answer ",
      400,
      "messages: final assistant content cannot end with trailing whitespace",
    ],
  ])("of a model that takes a prefill, one %s", async (_, prefill, status, message) => {
    const simulator = await simulatorWith({ prefill: "accept" });
    const answer = await post(simulator, "messages", body([go, assistant(prefill)]));
    expect(answer).toMatchObject({ status, error: message });
  });

  test("refuses thinking whose open tool loop has lost its reasoning", async () => {
    const simulator = await simulatorWith();
    const request = body([go, assistant([call("a")]), user([result("a")])], {
      max_tokens: 4_000,
      thinking: { type: "enabled", budget_tokens: 2_000 },
    });
    expect(await post(simulator, "messages", request)).toMatchObject({ status: 400 });
    expect(simulator.exchanges()[0]?.error).toContain("Expected `thinking` or `redacted_thinking`, but found `tool_use`");
  });

  test.each([
    ["a prompt over the window", 4_004, 100, "prompt is too long: 1001 tokens > 1000 maximum"],
    [
      "a prompt and reply over the window",
      3_996,
      2,
      "input length and `max_tokens` exceed context limit: 999 + 2 > 1000, decrease input length or `max_tokens` and try again",
    ],
    ["a fault, with a limit that the prompt is over", 400, 2, "prompt is too long: 100 tokens > 99 maximum"],
  ])("says so for %s", async (name, chars, maxTokens, message) => {
    const faults = () => (name.startsWith("a fault") ? ({ kind: "overflow" } as const) : null);
    const simulator = await simulatorWith({ contextWindowTokens: 1_000, faults });
    const request = body([user("x".repeat(chars))], { max_tokens: maxTokens });
    expect(await post(simulator, "messages", request)).toMatchObject({ status: 400, error: message });
    expect(simulator.exchanges()[0]?.outcome).toBe("overflow");
  });

  test("accepts a prompt that just fits", async () => {
    const simulator = await simulatorWith({ contextWindowTokens: 1_000 });
    const fitting = body([user("x".repeat(3_996))], { max_tokens: 1 });
    expect((await post(simulator, "messages", fitting)).status).toBe(200);
  });

  test("counts the tokens of a request without answering it", async () => {
    const simulator = await simulatorWith({ tokenFactorRatio: 1.5 });
    const request = { model: "m", messages: [user("x".repeat(400))] };
    expect(await post(simulator, "messages/count_tokens", request)).toMatchObject({
      status: 200,
      answer: { input_tokens: 150 },
    });
    expect(simulator.exchanges()).toEqual([]);
    expect(await post(simulator, "messages/count_tokens", request, {})).toMatchObject({ status: 401 });
  });

  test.each([
    ["no key", {}, "x-api-key header is required"],
    ["another key", { "x-api-key": "other" }, "invalid x-api-key"],
  ])("wants its key: %s", async (_, headers, message) => {
    const simulator = await simulatorWith({ key: "key" });
    expect(await post(simulator, "messages", body([go]), headers)).toMatchObject({
      status: 401,
      answer: { error: { type: "authentication_error", message } },
    });
  });

  test("wants its version", async () => {
    const simulator = await simulatorWith();
    expect(await post(simulator, "messages", body([go]), { "x-api-key": "key" })).toMatchObject({
      status: 400,
      error: "anthropic-version: header is required",
    });
  });

  test("does not know models that are not there", async () => {
    const simulator = await simulatorWith({ models: ["other"] });
    expect(await post(simulator, "messages", body([go]))).toMatchObject({
      status: 404,
      answer: { error: { type: "not_found_error", message: "model: m" } },
    });
  });
});

describe("the Chat Completions wire", () => {
  const calls = (...ids: readonly string[]) => ({
    role: "assistant",
    content: null,
    tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "f", arguments: "{}" } })),
  });
  const tool = (id: string, content: unknown = "x") => ({ role: "tool", tool_call_id: id, content });

  test.each<[string, readonly unknown[], string]>([
    [
      "a call without a result",
      [go, calls("a", "b"), tool("a")],
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: b",
    ],
    [
      "a result behind another message",
      [go, calls("a"), go, tool("a")],
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a",
    ],
    [
      "a result without a call",
      [go, tool("a")],
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    ],
    [
      "an id that is too long",
      [go, calls("a".repeat(41)), tool("a".repeat(41))],
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
    ],
    [
      "a call's name with other characters",
      [
        go,
        { ...calls(), tool_calls: [{ id: "a", type: "function", function: { name: "files.read", arguments: "{}" } }] },
        tool("a"),
      ],
      "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    ],
    [
      "an image in a result",
      [go, calls("a"), tool("a", [{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }])],
      "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.",
    ],
    ["no content", [user(null)], "Invalid value for 'content': expected a string, got null."],
    [
      "another role",
      [go, { role: "model", content: "x" }],
      "Invalid value: 'model'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', 'developer'.",
    ],
    [
      "an empty list of calls",
      [go, calls()],
      "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    ],
    [
      "no messages",
      [],
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    ],
    [
      "a result that names no call",
      [go, calls("a"), { role: "tool", content: "x" }],
      "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.",
    ],
  ])("refuses %s", async (_, messages, message) => {
    const simulator = await simulatorWith();
    expect(await post(simulator, "chat/completions", { model: "m", messages })).toMatchObject({
      status: 400,
      answer: { error: { type: "invalid_request_error", message } },
    });
  });

  test.each<[string, string, object, string, string, string | null]>([
    [
      "the older name of the limit on a model that reasons",
      "gpt-5-mini",
      { max_tokens: 100 },
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      "max_tokens",
      "unsupported_parameter",
    ],
    [
      "a temperature on a model that reasons",
      "o3",
      { temperature: 0.2 },
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      "temperature",
      "unsupported_value",
    ],
    [
      "a choice of tools without tools",
      "m",
      { tool_choice: "auto" },
      "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      "tool_choice",
      null,
    ],
    [
      "options of a stream without one",
      "m",
      { stream_options: { include_usage: true } },
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      "stream_options",
      null,
    ],
    [
      "a tool's name with other characters",
      "m",
      { tools: [{ type: "function", function: { name: "read file" } }] },
      "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      "tools[0].function.name",
      "invalid_value",
    ],
  ])("refuses %s", async (_, model, parameters, message, param, code) => {
    const simulator = await simulatorWith();
    expect(await post(simulator, "chat/completions", { model, messages: [go], ...parameters })).toEqual({
      status: 400,
      answer: { error: { type: "invalid_request_error", message, param, code } },
      error: message,
    });
  });

  test("says the sizes of a prompt over the window", async () => {
    const simulator = await simulatorWith({ contextWindowTokens: 1_000 });
    const request = { model: "m", max_completion_tokens: 200, messages: [user("x".repeat(3_595))] };
    expect(await post(simulator, "chat/completions", request)).toMatchObject({
      status: 400,
      answer: {
        error: {
          code: "context_length_exceeded",
          param: "messages",
          message:
            "This model's maximum context length is 1000 tokens. However, you requested 1100 tokens (900 in the messages, 200 in the completion). Please reduce the length of the messages or completion.",
        },
      },
    });
  });
});

describe("the Responses wire", () => {
  const functionCall = { type: "function_call", call_id: "a", name: "f", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "a", output: "x" };
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: encryptedReasoning("rs_1") };

  test.each<[string, readonly unknown[], number, string]>([
    ["a call without an output", [go, functionCall], 400, "No tool output found for function call a."],
    ["an output without a call", [go, output], 400, "No tool call found for function call output with call_id a."],
    [
      "reasoning that stands alone",
      [go, reasoning, go],
      400,
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    ],
    [
      "encrypted content that is not the vendor's",
      [go, { ...reasoning, encrypted_content: "mine" }, functionCall, output],
      400,
      "The encrypted content for item rs_1 could not be verified.",
    ],
    [
      "reasoning by its id alone",
      [go, { type: "reasoning", id: "rs_1", summary: [] }, functionCall, output],
      404,
      "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    ],
    [
      "a call under its id without the reasoning that it came with",
      [go, { ...functionCall, id: "fc_1_after_rs_1" }, output],
      400,
      "Item 'fc_1_after_rs_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.",
    ],
    [
      "an item by reference",
      [go, { type: "item_reference", id: "msg_9" }],
      404,
      "Item with id 'msg_9' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    ],
    [
      "a call without arguments",
      [go, { type: "function_call", call_id: "a", name: "f" }, output],
      400,
      "Missing required parameter: 'input[1].arguments'.",
    ],
    [
      "a call's name with other characters",
      [go, { ...functionCall, name: "files.read" }, output],
      400,
      "Invalid 'input[1].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    ],
    [
      "an output without text",
      [go, functionCall, { type: "function_call_output", call_id: "a" }],
      400,
      "Missing required parameter: 'input[2].output'.",
    ],
    ["an item twice", [go, reasoning, reasoning, functionCall, output], 400, "Duplicate item found with id rs_1."],
    ["no input", [], 400, "Missing required parameter: 'input'."],
    [
      "another role",
      [{ ...go, role: "tool" }],
      400,
      "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
    ],
    [
      "an id of a call that is too long",
      [go, { ...functionCall, call_id: "a".repeat(65) }],
      400,
      "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
    ],
    [
      "input as the model's words",
      [assistant([{ type: "input_text", text: "x" }])],
      400,
      "Invalid value: 'input_text'. Supported values are: 'output_text', 'refusal'.",
    ],
  ])("refuses %s", async (_, input, status, message) => {
    const simulator = await simulatorWith();
    expect(await post(simulator, "responses", { model: "m", input })).toMatchObject({ status, error: message });
  });

  test.each([
    ["an earlier response", { previous_response_id: "resp_1" }, "Previous response with id 'resp_1' not found."],
    ["no model", { model: undefined }, "you must provide a model parameter"],
    [
      "too short a reply",
      { max_output_tokens: 15 },
      "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead.",
    ],
    [
      "a tool's name with other characters",
      { tools: [{ type: "function", name: "read.file" }] },
      "Invalid 'tools[0].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    ],
  ])("refuses %s", async (_, parameters, message) => {
    const simulator = await simulatorWith();
    expect(await post(simulator, "responses", { model: "m", input: [go], ...parameters })).toMatchObject({
      status: 400,
      error: message,
    });
  });

  test("takes a call under its id behind the reasoning that it came with", async () => {
    const simulator = await simulatorWith();
    const input = [go, reasoning, { ...functionCall, id: "fc_1_after_rs_1" }, output];
    expect(await post(simulator, "responses", { model: "m", input })).toMatchObject({ status: 200 });
  });

  test("takes an output anywhere behind its call", async () => {
    const simulator = await simulatorWith();
    const input = [go, reasoning, functionCall, user("meanwhile"), output];
    expect(await post(simulator, "responses", { model: "m", input })).toMatchObject({ status: 200 });
  });
});

describe("the prompt cache", () => {
  const text = (name: string, tokens: number) => ({ type: "text", text: name.repeat(tokens * 4).slice(0, tokens * 4) });
  const marked = (name: string, tokens: number, ttl?: string) => ({
    ...text(name, tokens),
    cache_control: { type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) },
  });
  const ask = (simulator: Simulator, content: readonly unknown[]) =>
    post(simulator, "messages", { model: "m", max_tokens: 10, messages: [user(content)] });
  const usageOf = (simulator: Simulator) =>
    simulator.exchanges().map(({ cacheReadTokens, cacheWriteTokens }) => `${cacheReadTokens} ${cacheWriteTokens}`);
  const readsOf = (simulator: Simulator) => simulator.exchanges().map(({ cacheReadTokens }) => cacheReadTokens);

  test("writes through the last breakpoint and reads what it wrote", async () => {
    const simulator = await simulatorWith({ nowMs: () => 0 });
    await ask(simulator, [marked("a", 2_000), text("b", 500)]);
    await ask(simulator, [text("a", 2_000), marked("b", 500), text("c", 50)]);
    expect(usageOf(simulator)).toEqual(["0 2000", "2000 500"]);
  });

  test("a mark of the request itself stands at its last block", async () => {
    const simulator = await simulatorWith({ nowMs: () => 0 });
    const whole = (content: readonly unknown[]) =>
      post(simulator, "messages", { model: "m", max_tokens: 10, messages: [user(content)], ...mark });
    await whole([text("a", 2_000)]);
    await whole([text("a", 2_000), text("b", 500)]);
    expect(usageOf(simulator)).toEqual(["0 2000", "2000 500"]);
  });

  test("caches nothing below the minimum", async () => {
    const simulator = await simulatorWith({ nowMs: () => 0 });
    await ask(simulator, [marked("a", 1_023)]);
    await ask(simulator, [marked("a", 1_023)]);
    expect(usageOf(simulator)).toEqual(["0 0", "0 0"]);
  });

  test.each([
    ["one that is used again in time lives on", [0, 240_000, 480_000], [0, 2_000, 2_000]],
    ["one that is not is gone", [0, 300_000], [0, 0]],
  ])("keeps a prefix for five minutes from its last use: %s", async (_, times, reads) => {
    const clock = { nowMs: 0 };
    const simulator = await simulatorWith({ nowMs: () => clock.nowMs });
    for (const nowMs of times) {
      clock.nowMs = nowMs;
      await ask(simulator, [marked("a", 2_000)]);
    }
    expect(readsOf(simulator)).toEqual(reads);
  });

  test("keeps what was written for an hour, and tells it apart", async () => {
    const clock = { nowMs: 0 };
    const simulator = await simulatorWith({ nowMs: () => clock.nowMs });
    const content = [marked("a", 2_000, "1h"), marked("b", 1_000)];
    expect(await ask(simulator, content)).toMatchObject({
      answer: { usage: { cache_creation: { ephemeral_1h_input_tokens: 2_000, ephemeral_5m_input_tokens: 1_000 } } },
    });
    clock.nowMs = 1_800_000;
    await ask(simulator, content);
    expect(usageOf(simulator)).toEqual(["0 3000", "2000 1000"]);
  });

  test("looks back twenty blocks from a breakpoint, no further", async () => {
    const simulator = await simulatorWith({ nowMs: () => 0 });
    const blocks = (count: number) => Array.from({ length: count }, (_, index) => text(`${index}`, 10));
    await ask(simulator, [marked("a", 2_000)]);
    await ask(simulator, [text("a", 2_000), ...blocks(18), marked("z", 10)]);
    await ask(simulator, [text("a", 2_000), ...blocks(30), marked("y", 10)]);
    expect(readsOf(simulator)).toEqual([0, 2_000, 0]);
  });

  test("by itself reads whole steps of what an earlier prompt began with", async () => {
    const simulator = await simulatorWith({ nowMs: () => 0 });
    // "user", a line break and the text: 1,502 tokens each.
    const chat = (...names: readonly string[]) =>
      post(simulator, "chat/completions", { model: "m", messages: names.map((name) => user(name.repeat(6_000))) });
    await chat("a");
    await chat("a", "b");
    await chat("a", "c");
    await chat("d");
    expect(readsOf(simulator)).toEqual([0, 11 * 128, 11 * 128, 0]);
  });
});

describe("models", () => {
  const get = async (simulator: Simulator, path: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${simulator.url}${path}`, { headers });
    const answer: unknown = await response.json();
    return { status: response.status, answer };
  };
  const options = { models: ["a", "b"], contextWindowTokens: 9_000, maximumOutputTokens: 700 };

  test.each<[string, string, Readonly<Record<string, string>>, number, unknown]>([
    ["as llama.cpp", "/props", {}, 200, { default_generation_settings: { n_ctx: 9_000 } }],
    ["as vLLM", "/v1/models", {}, 200, { object: "list", data: [{ id: "a", max_model_len: 9_000 }, { id: "b" }] }],
    ["one of them", "/v1/models/b", {}, 200, { id: "b", object: "model", max_model_len: 9_000 }],
    [
      "as the Messages API",
      "/v1/models",
      VERSION,
      200,
      {
        data: [{ type: "model", id: "a", max_input_tokens: 9_000, max_tokens: 700 }, { id: "b" }],
        has_more: false,
        last_id: "b",
      },
    ],
    ["one that is not there", "/v1/models/c", VERSION, 404, { error: { type: "not_found_error" } }],
    ["another address", "/v1/files", {}, 404, { error: { message: "Not found: /v1/files" } }],
  ])("are told %s", async (_, path, headers, status, answer) => {
    expect(await get(await simulatorWith(options), path, headers)).toMatchObject({ status, answer });
  });
});

test("a transcript's replies are a script", () => {
  const SAID = { type: "text", text: "reading" } as const;
  const CALLED = { type: "tool-call", toolName: "f", argumentsJson: "{}" } as const;
  const replies = repliesOfTranscript([
    { role: "user", origin: "human", parts: [{ type: "text", text: "go" }] },
    { role: "assistant", origin: "model", parts: [{ type: "reasoning", text: "" }, SAID, CALLED] },
  ]);
  expect(replies).toEqual([{ parts: [SAID, CALLED] }]);
});

test("a script that fails says so", async () => {
  const simulator = await simulatorWith({
    replies: ({ replyIndex }) => {
      throw new Error(`no reply ${replyIndex}`);
    },
  });
  expect(await post(simulator, "messages", { model: "m", max_tokens: 10, messages: [go] })).toEqual({
    status: 500,
    answer: { error: { type: "simulator_error", message: expect.anything() } },
    error: "the script failed: Error: no reply 0",
  });
});

test("a script that has ended says so", async () => {
  const simulator = await simulatorWith({ replies: [] });
  const request = { model: "m", max_tokens: 10, messages: [go] };
  expect(await post(simulator, "messages", request)).toMatchObject({
    status: 200,
    answer: { content: [{ text: "The script has ended." }], stop_reason: "end_turn" },
  });
});

test("a port that is taken is named", async () => {
  const simulator = await simulatorWith();
  await expect(startSimulator({ replies: [], port: simulator.port })).rejects.toThrow(
    `port ${simulator.port} is in use: stop the other one or give --port 0`,
  );
});
