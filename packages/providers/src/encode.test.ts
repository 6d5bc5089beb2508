import type { AssistantMessage, Context, ImagePart, Message, ToolResultMessage } from "@plimsoll/core";
import type { JsonValue } from "@plimsoll/core/extend";
import { assistant, calling, callPart, human, reply, result, summaryMessage } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { ANTHROPIC_WIRE_RULES, encodeAnthropic } from "./anthropic/encode.ts";
import { thinkingFor, withThinking } from "./anthropic/thinking.ts";
import { withinReply } from "./catalog/model-limits.ts";
import { encodeOpenAiChat } from "./openai-chat/encode.ts";
import { CHAT_HOSTS, type ChatQuirks, COMPATIBLE_QUIRKS, OPENAI_QUIRKS } from "./openai-chat/hosts.ts";
import { encodeOpenAiResponses } from "./openai-responses/encode.ts";
import { FIRST_MESSAGE_NOTICE } from "./wire/turns.ts";
import { checkSendable } from "./wire/wire.ts";

const quirksOf = (host: string) => CHAT_HOSTS.find(({ name }) => name === host)?.quirks ?? OPENAI_QUIRKS;

/** A block of text. */
const text = (words: string) => ({ type: "text", text: words }) as const;
const contextOf = (messages: readonly Message[], rest: Partial<Context> = {}): Context => {
  return { system: "", tools: [], messages, dynamicContext: null, ...rest };
};
const requestOf = (context: Context) => ({ context, modelId: "m", maxOutputTokens: 100 });

const PIXEL = { type: "image", mediaType: "image/png", widthPx: 1, heightPx: 1, sizeBytes: 3 } as const;
const png: ImagePart = { ...PIXEL, source: { kind: "base64", data: "AAAA" } };
const reasoned = (opaque: AssistantMessage["parts"][number] & { readonly type: "reasoning" }): AssistantMessage =>
  assistant("2", [opaque, callPart("c1", "f", { argumentsJson: '{"a":1}' })]);
const imageResult: ToolResultMessage = { ...result("3", "c1", "seen"), parts: [{ type: "text", text: "seen" }, png] };

describe("Anthropic", () => {
  const messagesOf = (context: Context) => encodeAnthropic(requestOf(context), { cacheTimeToLive: null }).messages;

  test("the results of a batch are one message, before what the person said meanwhile", () => {
    const messages = [
      human("1", "go"),
      calling("2", ["a", "b"], "so"),
      result("3", "a", "one"),
      result("4", "b", ""),
      human("5", "and?"),
    ];
    expect(messagesOf(contextOf(messages))).toEqual([
      { role: "user", content: [text("go")] },
      {
        role: "assistant",
        content: [
          text("so"),
          { type: "tool_use", id: "a", name: "tool", input: {} },
          { type: "tool_use", id: "b", name: "tool", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "one" },
          { type: "tool_result", tool_use_id: "b" },
          text("and?"),
        ],
      },
    ]);
  });

  test("a list that begins with the model gets the fixed notice before it", () => {
    expect(messagesOf(contextOf([reply("1", "summary"), human("2", "go")]))[0]).toEqual({
      role: "user",
      content: [text(FIRST_MESSAGE_NOTICE)],
    });
  });

  test("neighbours of one role are one message", () => {
    const messages = [summaryMessage("1", "before"), human("2", "go"), reply("3", "a"), reply("4", "b"), human("5", "?")];
    expect(messagesOf(contextOf(messages))).toEqual([
      { role: "user", content: [text("before"), text("go")] },
      { role: "assistant", content: [text("a"), text("b")] },
      { role: "user", content: [text("?")] },
    ]);
  });

  test.each([
    ["its own, with its signature", { type: "thinking", signature: "s" }, { type: "thinking", thinking: "hm", signature: "s" }],
    ["hidden", { type: "redacted_thinking", data: "d" }, { type: "redacted_thinking", data: "d" }],
  ])("reasoning goes back before its call: %s", (_, opaque, block) => {
    const messages = [human("1", "go"), reasoned({ type: "reasoning", text: "hm", opaque }), result("3", "c1", "x")];
    const call = { type: "tool_use", id: "c1", name: "f", input: { a: 1 } };
    expect(messagesOf(contextOf(messages))[1]?.content).toEqual([block, call]);
  });

  test.each([
    ["of another wire", { type: "reasoning", id: "rs_1", encrypted_content: "e" }],
    ["without its signature", null],
  ])("reasoning %s is left out", (_, opaque) => {
    const messages = [human("1", "go"), reasoned({ type: "reasoning", text: "hm", opaque }), result("3", "c1", "x")];
    expect(messagesOf(contextOf(messages))[1]?.content).toEqual([{ type: "tool_use", id: "c1", name: "f", input: { a: 1 } }]);
  });

  test("arguments that were cut off are sent under a key, not dropped", () => {
    const call = callPart("c1", "f", { argumentsJson: '{"a": "ha' });
    const messages = [human("1", "go"), assistant("2", [call]), result("3", "c1", "x")];
    expect(messagesOf(contextOf(messages))[1]?.content).toEqual([
      { type: "tool_use", id: "c1", name: "f", input: { unparsed: '{"a": "ha' } },
    ]);
  });

  test("of arguments that are nested too deep the beginning is sent as text", () => {
    const argumentsJson = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const call = callPart("c1", "f", { argumentsJson });
    const messages = [human("1", "go"), assistant("2", [call]), result("3", "c1", "x")];
    expect(messagesOf(contextOf(messages))[1]?.content).toEqual([
      { type: "tool_use", id: "c1", name: "f", input: { unparsed: argumentsJson.slice(0, 2_000) } },
    ]);
  });

  test("an id that the wire does not take is the same other one in call and result", () => {
    const [, call, answer] = messagesOf(contextOf([human("1", "go"), calling("2", ["fc.1"]), result("3", "fc.1", "x")]));
    const id = expect.stringMatching(/^call_[0-9a-f]{32}$/);
    expect(call?.content).toContainEqual(expect.objectContaining({ type: "tool_use", id }));
    expect(JSON.stringify(answer)).toContain(JSON.stringify(call).match(/call_[0-9a-f]{32}/)?.[0] ?? "none");
  });

  test("images go in results, documents too; what was not kept is named", () => {
    const pdf: ImagePart = { ...png, mediaType: "application/pdf" };
    const lost: ImagePart = { ...png, source: { kind: "absent" } };
    const message: ToolResultMessage = { ...imageResult, isError: true, parts: [png, pdf, lost] };
    expect(messagesOf(contextOf([human("1", "go"), calling("2", ["c1"]), message]))[2]?.content).toEqual([
      {
        type: "tool_result",
        tool_use_id: "c1",
        is_error: true,
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
          { type: "document", source: { type: "base64", media_type: "application/pdf", data: "AAAA" } },
          text("[image not available: image/png]"),
        ],
      },
    ]);
  });

  test("cache breakpoints: last tool, system, the end of the request before and this one's; the dynamic context is behind them", () => {
    const tool = (name: string) => ({ name, description: "", parametersJson: "{}" });
    const body = encodeAnthropic(
      requestOf(
        contextOf([human("1", "go"), calling("2", ["a"]), result("3", "a", "x")], {
          system: "be brief",
          tools: [tool("f"), tool("g")],
          dynamicContext: "branch main",
        }),
      ),
      { cacheTimeToLive: "1h" },
    );
    const marked = { cache_control: { type: "ephemeral", ttl: "1h" } };
    expect(body.tools?.map((each) => each.cache_control)).toEqual([undefined, marked.cache_control]);
    expect(body.system).toEqual([{ type: "text", text: "be brief", ...marked }]);
    expect(body.messages.map(({ content }) => content)).toEqual([
      [{ type: "text", text: "go", ...marked }],
      [text("calling"), { type: "tool_use", id: "a", name: "tool", input: {} }],
      [{ type: "tool_result", tool_use_id: "a", content: "x", ...marked }, text("branch main")],
    ]);
  });
});

describe("Chat Completions", () => {
  const messagesOf = (context: Context, quirks: ChatQuirks = OPENAI_QUIRKS) =>
    encodeOpenAiChat(requestOf(context), quirks).messages;

  test("images of results follow their batch as the user's", () => {
    const messages = [human("1", "go"), calling("2", ["c1", "c2"]), imageResult, result("4", "c2", "y"), human("5", "and?")];
    expect(messagesOf(contextOf(messages)).slice(2)).toEqual([
      { role: "tool", tool_call_id: "c1", content: "seen" },
      { role: "tool", tool_call_id: "c2", content: "y" },
      { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }, text("and?")] },
    ]);
  });

  test.each<[string, ChatQuirks, unknown]>([
    ["the vendor's own", OPENAI_QUIRKS, { role: "developer", content: "s" }],
    ["most others", COMPATIBLE_QUIRKS, { role: "system", content: "s" }],
  ])("system text on %s", (_, quirks, message) => {
    expect(messagesOf(contextOf([human("1", "go")], { system: "s" }), quirks)[0]).toEqual(message);
  });

  test.each([
    ["openai", "max_completion_tokens"],
    ["mistral", "max_tokens"],
  ])("the reply's limit on %s is %s", (host, key) => {
    const quirks = quirksOf(host);
    expect(encodeOpenAiChat(requestOf(contextOf([human("1", "go")])), quirks)).toHaveProperty(key, 100);
  });

  test.each([
    ["openai", { role: "assistant", content: null }],
    ["deepseek", { role: "assistant", content: null, reasoning_content: "hm" }],
    ["mistral", { role: "assistant", content: "" }],
  ])("a reply with reasoning and a call on %s", (host, message) => {
    const quirks = quirksOf(host);
    const messages = [human("1", "go"), reasoned({ type: "reasoning", text: "hm", opaque: null }), result("3", "c1", "x")];
    const { tool_calls: _, ...encoded } = { tool_calls: null, ...messagesOf(contextOf(messages), quirks)[1] };
    expect(encoded).toEqual(message);
  });

  test("a server that takes nine characters gets the same nine in call and result", () => {
    const quirks = quirksOf("mistral");
    const callId = "toolu_0123456789";
    const encoded = messagesOf(contextOf([human("1", "go"), calling("2", [callId]), result("3", callId, "x")]), quirks);
    const id = expect.stringMatching(/^[0-9a-f]{9}$/);
    expect(encoded[1]).toMatchObject({ tool_calls: [{ id }] });
    expect(encoded[2]).toMatchObject({ tool_call_id: id });
  });

  test("a server that wants the user first gets the notice", () => {
    const context = contextOf([reply("1", "summary"), human("2", "go")]);
    expect(messagesOf(context)[0]).toMatchObject({ role: "assistant" });
    expect(messagesOf(context, COMPATIBLE_QUIRKS)[0]).toEqual({ role: "user", content: FIRST_MESSAGE_NOTICE });
  });

  test("the dynamic context is last", () => {
    const messages = messagesOf(contextOf([human("1", "go")], { dynamicContext: "branch main" }));
    expect(messages.at(-1)).toEqual({ role: "user", content: "branch main" });
  });
});

describe("Responses", () => {
  const inputOf = (context: Context) => encodeOpenAiResponses(requestOf(context)).input;
  const item = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "e" };

  test("reasoning goes back as its item, right before its call", () => {
    const messages = [human("1", "go"), reasoned({ type: "reasoning", text: "hm", opaque: item }), result("3", "c1", "x")];
    expect(inputOf(contextOf(messages))).toEqual([
      { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
      item,
      { type: "function_call", call_id: "c1", name: "f", arguments: '{"a":1}' },
      { type: "function_call_output", call_id: "c1", output: "x" },
    ]);
  });

  test.each([
    ["of another wire", { type: "thinking", signature: "s" }],
    ["whose content was not kept", { type: "reasoning", id: "rs_1", summary: [] }],
  ])("reasoning %s is left out", (_, opaque) => {
    const messages = [human("1", "go"), reasoned({ type: "reasoning", text: "hm", opaque }), result("3", "c1", "x")];
    expect(inputOf(contextOf(messages))[1]).toMatchObject({ type: "function_call" });
  });

  test("nothing is stored, and encrypted reasoning is asked for", () => {
    expect(encodeOpenAiResponses(requestOf(contextOf([human("1", "go")], { system: "s", dynamicContext: "now" })))).toEqual({
      model: "m",
      store: false,
      include: ["reasoning.encrypted_content"],
      max_output_tokens: 100,
      instructions: "s",
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
        { type: "message", role: "developer", content: "now" },
      ],
    });
  });

  test("images go in outputs", () => {
    expect(inputOf(contextOf([human("1", "go"), calling("2", ["c1"]), imageResult])).at(-1)).toEqual({
      type: "function_call_output",
      call_id: "c1",
      output: [
        { type: "input_text", text: "seen" },
        { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" },
      ],
    });
  });
});

describe("the level of reasoning", () => {
  const request = { ...requestOf(contextOf([human("1", "go")])), reasoning: "medium", maxOutputTokens: 8_000 } as const;

  test.each([
    ["claude-opus-5-5", 8_000, { thinking: { type: "adaptive" }, output_config: { effort: "medium" } }],
    ["anthropic/claude-sonnet-4.5", 8_000, { thinking: { type: "enabled", budget_tokens: 6_976 } }],
    ["claude-sonnet-4-20250514", 64_000, { thinking: { type: "enabled", budget_tokens: 10_000 } }],
    ["claude-haiku-4-5", 2_000, {}],
    ["claude-haiku-4-5", 2_048, { thinking: { type: "enabled", budget_tokens: 1_024 } }],
    ["claude-3-5-haiku-latest", 8_000, {}],
  ])("on %s with room for %d tokens", (modelId, maxOutputTokens, expected) => {
    expect(thinkingFor({ ...request, modelId, maxOutputTokens })).toEqual(expected);
  });

  test.each([
    ["begins no thinking", "claude-opus-5-5", {}],
    ["asks a family that reasons", "gpt-5.4", { reasoning_effort: "low", effort: "low" }],
    ["asks no other", "gpt-4o", {}],
  ])("that is a wish %s: %s", (_, modelId, expected) => {
    const wished = { ...request, modelId, reasoning: "low", isReasoningWished: true } as const;
    const { reasoning_effort } = encodeOpenAiChat(wished, OPENAI_QUIRKS);
    const { reasoning } = encodeOpenAiResponses(wished);
    const sent = { ...thinkingFor({ ...wished, modelId: `claude-${modelId}` }), reasoning_effort, effort: reasoning?.effort };
    expect(JSON.parse(JSON.stringify(sent))).toEqual(expected);
  });

  test.each([
    ["has what is set apart for it", "claude-opus-5-5", 12_288, 8192],
    ["stays within the replies of a known family", "claude-3-5-sonnet", 8192, 4096],
    ["leaves a text what is asked for it", "claude-3-opus", 4096, 0],
  ])("room for thinking %s", (_, modelId, maxOutputTokens, thinkingTokens) => {
    const within = withinReply({ ...request, modelId, maxOutputTokens: 12_288, thinkingTokens: 8192 });
    expect(within).toMatchObject({ maxOutputTokens, thinkingTokens });
  });

  test("a budget is no more than the room that is set apart for it", () => {
    const asked = { ...request, modelId: "claude-sonnet-4-5", maxOutputTokens: 12_288, thinkingTokens: 4096 };
    expect(thinkingFor(asked).thinking).toEqual({ type: "enabled", budget_tokens: 4096 });
  });

  test("a budget is left out if the open tool loop has lost its reasoning", () => {
    const enabled = { thinking: { type: "enabled", budget_tokens: 2_000 } } as const;
    const bodyOf = (opaque: JsonValue) => {
      const messages = [human("1", "go"), reasoned({ type: "reasoning", text: "hm", opaque }), result("3", "c1", "x")];
      return encodeAnthropic(requestOf(contextOf(messages)), { cacheTimeToLive: null });
    };
    expect(withThinking(bodyOf(null), enabled).thinking).toBeUndefined();
    expect(withThinking(bodyOf({ type: "thinking", signature: "s" }), enabled).thinking).toEqual(enabled.thinking);
  });

  test.each([
    ["openai", { reasoning_effort: "medium" }],
    ["mistral", {}],
  ])("on %s", (host, expected) => {
    const body = encodeOpenAiChat(request, quirksOf(host));
    expect("reasoning_effort" in body ? { reasoning_effort: body.reasoning_effort } : {}).toEqual(expected);
  });

  test("on the Responses wire", () => {
    expect(encodeOpenAiResponses(request).reasoning).toEqual({ effort: "medium" });
  });
});

test("of an image whose bytes are in a store a text tells what was there", () => {
  const stored: ImagePart = { ...png, source: { kind: "artifact", handle: "kept" } };
  const context = contextOf([{ ...human("1", ""), parts: [stored] }]);
  const [message] = encodeAnthropic(requestOf(context), { cacheTimeToLive: null }).messages;
  expect(message?.content).toMatchObject([text("[image not available: image/png]")]);
});

test.each<[string, readonly Message[], string]>([
  ["a call without a result", [human("1", "go"), calling("2", ["a"])], "call-without-result"],
  ["a prefill", [human("1", "go"), reply("2", "The")], "last-is-assistant"],
  ["no messages", [], "no-messages"],
])("what encoding cannot put right is refused before it is sent: %s", (_, messages, code) => {
  expect(() => checkSendable(messages, ANTHROPIC_WIRE_RULES)).toThrow(
    expect.objectContaining({ code: "unsendable", message: expect.stringContaining(code) }),
  );
});

describe("half a character never leaves an encoder", () => {
  const HALF = "\ud83d";
  const context: Context = {
    system: `system ${HALF}`,
    tools: [{ name: "f", description: `tool ${HALF}`, parametersJson: '{"type":"object","description":"\\ud83d"}' }],
    messages: [
      human("1", `person ${HALF}`),
      assistant("2", [
        { type: "reasoning", text: `reason ${HALF}`, opaque: { type: "thinking", signature: "s" } },
        { type: "text", text: `reply ${HALF}` },
        callPart(`a${HALF}`, "f", { argumentsJson: `{"bare":"${HALF}","escaped":"\\ud83d"}` }),
        callPart("a\udc00", "f", { argumentsJson: "no json \\ud83d" }),
      ]),
      result("3", `a${HALF}`, `result ${HALF}`),
      result("4", "a\udc00", "fine"),
    ],
    dynamicContext: `branch ${HALF}`,
  };
  const quirks: ChatQuirks = { ...COMPATIBLE_QUIRKS, reasoningSentBack: "with-calls" };

  test.each<[string, unknown]>([
    ["Anthropic", encodeAnthropic(requestOf(context), { cacheTimeToLive: "5m" })],
    ["Chat Completions", encodeOpenAiChat(requestOf(context), quirks)],
    ["Chat Completions, short ids", encodeOpenAiChat(requestOf(context), { ...quirks, maximumCallIdChars: 9 })],
    ["Responses", encodeOpenAiResponses(requestOf(context))],
  ])("%s: in no text, name, key or argument, bare or escaped, and calls keep their results", (_, body) => {
    const json = JSON.stringify(body);
    expect(json).not.toMatch(/\\ud83d|\\udc00/i);
    expect(json.split("\ufffd").length - 1).toBeGreaterThan(5);
    const ids = [...json.matchAll(/"(?:id|call_id|tool_use_id|tool_call_id)":"([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(2);
  });

  test("messages that hold it can be sent: encoding puts it right", () => {
    expect(() => checkSendable(context.messages, ANTHROPIC_WIRE_RULES)).not.toThrow();
  });
});

describe("what the agent declares in the middle", () => {
  const messages = [
    human("1", "go"),
    { ...human("2", "Be brief."), origin: "declared" as const },
    { ...human("3", "Never push."), origin: "declared" as const },
    reply("4", "done"),
    human("5", "and?"),
  ];
  const chatOf = (quirks: ChatQuirks) => encodeOpenAiChat(requestOf(contextOf(messages)), quirks).messages;

  test("is the developer's on Responses and Chat Completions", () => {
    const { input } = encodeOpenAiResponses(requestOf(contextOf(messages)));
    const roles = ["user", "developer", "developer", "assistant", "user"];
    expect(input.map((item) => ("role" in item ? item.role : item.type))).toEqual(roles);
    expect(chatOf(OPENAI_QUIRKS).map(({ role }) => role)).toEqual(roles);
  });

  test("is the user's where no other system text than the first is taken", () => {
    expect(chatOf(COMPATIBLE_QUIRKS).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(chatOf(COMPATIBLE_QUIRKS)[0]?.content).toBe("go\nBe brief.\nNever push.");
    const { messages: sent } = encodeAnthropic(requestOf(contextOf(messages)), { cacheTimeToLive: null });
    expect(sent.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });
});

describe("user and assistant in turn", () => {
  test("Responses: neighbours of the user are one message", () => {
    const { input } = encodeOpenAiResponses(
      requestOf(contextOf([summaryMessage("s", "so far"), human("1", "go"), reply("2", "a")])),
    );
    const texts = ["so far", "go"].map((text) => ({ type: "input_text", text }));
    expect(input).toEqual([
      { type: "message", role: "user", content: texts },
      { type: "message", role: "assistant", content: "a" },
    ]);
  });

  const thought = { type: "reasoning", text: "why", opaque: { type: "thinking", signature: "s" } } as const;
  const call = callPart("c1", "f");
  const summary = { ...assistant("s", [text("so far")]), origin: "summary" } as const;
  const summarised = [summary, assistant("1", [thought, call]), result("2", "c1", "seen")];
  const notice = { role: "user", content: [text(FIRST_MESSAGE_NOTICE)] };

  test("Anthropic: a reply with reasoning begins a message of its own, as the vendor wants it to", () => {
    const { messages } = encodeAnthropic(requestOf(contextOf(summarised)), { cacheTimeToLive: null });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
    expect([messages[0], messages[2]]).toEqual([notice, notice]);
    expect(messages[3]?.content).toMatchObject([{ type: "thinking" }, { type: "tool_use" }]);
  });

  test("Anthropic: replies without reasoning are one message", () => {
    const { messages } = encodeAnthropic(requestOf(contextOf([human("0", "go"), reply("1", "a"), reply("2", "b")])), {
      cacheTimeToLive: null,
    });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  const rolesOf = (quirks: ChatQuirks, messages: readonly Message[]) =>
    encodeOpenAiChat(requestOf(contextOf(messages, { dynamicContext: "branch main", system: "s" })), quirks).messages.map(
      ({ role }) => role,
    );

  test.each<[string, ChatQuirks, readonly string[]]>([
    ["a server that takes any order", OPENAI_QUIRKS, ["developer", "assistant", "tool", "user"]],
    ["one that wants turns", COMPATIBLE_QUIRKS, ["system", "user", "assistant", "tool", "assistant", "user"]],
  ])("Chat Completions: %s", (_, quirks, expected) => {
    expect(rolesOf(quirks, summarised)).toEqual(expected);
  });

  test("Chat Completions: a server that wants turns gets what a person says and the dynamic context as one message", () => {
    expect(rolesOf(COMPATIBLE_QUIRKS, [human("1", "go"), human("2", "on")])).toEqual(["system", "user"]);
  });
});

test("a request without tools has its own parameters only; the reply is not below the wire's least, a tool's parameters are an object", () => {
  const request = { ...requestOf(contextOf([human("1", "go")])), maxOutputTokens: 1 };
  const keys = [encodeAnthropic(request, { cacheTimeToLive: null }), encodeOpenAiChat(request, OPENAI_QUIRKS)];
  expect(keys.map((body) => Object.keys(body).join())).toEqual([
    "model,max_tokens,messages",
    "model,max_completion_tokens,messages",
  ]);
  const tools = [{ name: "f", description: "", parametersJson: "{}" }];
  const [chat, responses] = [encodeOpenAiChat, encodeOpenAiResponses].map((encode) =>
    encode({ ...request, context: contextOf([], { tools }) }, OPENAI_QUIRKS),
  );
  expect(responses).toMatchObject({ max_output_tokens: 16, tools: [{ name: "f", parameters: { type: "object" } }] });
  expect(chat).toMatchObject({ tools: [{ function: { name: "f", parameters: { type: "object" } } }] });
});
