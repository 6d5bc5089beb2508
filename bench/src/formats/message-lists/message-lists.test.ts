import { describe, expect, test } from "vitest";
import { describeLog, importDocument, importObjects } from "../../../testing/describe-log.ts";

const UNREPORTED = "usage null (read null, write null) out null";
const READ = (id = "c1") => `call ${id} read {"path":"a.ts"} read a.ts`;
const RESULT = (id = "c1", flag = "") => `result ${id} (read, file-content${flag}): body`;

async function formatAndLog(document: unknown): Promise<{ format: string | undefined; log: readonly string[] }> {
  const [transcript] = await importDocument(document);
  const [, ...log] = describeLog(transcript).map((line) => line.replace(/call:[0-9a-f]{32}/, "ID"));
  return { format: transcript?.format, log };
}

const text = (words: string) => ({ type: "text", text: words });
const ANTHROPIC = [
  { role: "user", content: "q" },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm", signature: "x" },
      { type: "redacted_thinking", data: "y" },
      { type: "tool_use", id: "c1", name: "read", input: { path: "a.ts" } },
    ],
  },
  {
    role: "user",
    content: [
      text("and"),
      { type: "tool_result", tool_use_id: "c1", content: [text("body")], is_error: true },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "QUJD" } },
    ],
  },
  {
    role: "assistant",
    content: "done",
    usage: { input_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 3, output_tokens: 4 },
  },
];
const ANTHROPIC_LOG = [
  "human: q",
  UNREPORTED,
  `model: (hm) | () | ${READ()}`,
  RESULT("c1", ", error"),
  "human: and | <application/pdf 3>",
  "usage 6 (read 2, write 3) out 4",
  "model: done",
];

const CHAT = [
  { role: "system", content: "You are." },
  { role: "user", content: [text("q"), { type: "image_url", image_url: { url: "data:image/png;base64,QUJD" } }] },
  {
    role: "assistant",
    content: null,
    reasoning_content: "hm",
    tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: '{"path":"a.ts"}' } }],
  },
  { role: "tool", tool_call_id: "c1", content: "body" },
  { role: "developer", content: "note" },
  { role: "assistant", function_call: { name: "read", arguments: '{"path":"a.ts"}' } },
  { role: "function", name: "read", content: "body" },
  { role: "assistant", content: "done", refusal: "no" },
];
const CHAT_LOG = [
  "human: q | <image/png 3>",
  UNREPORTED,
  `model: (hm) | ${READ()}`,
  RESULT(),
  "injected: note",
  UNREPORTED,
  `model: ${READ("ID")}`,
  RESULT("ID"),
  UNREPORTED,
  "model: done | no",
];

const RESPONSES = [
  { role: "user", content: "q" },
  { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "x" },
  { type: "message", role: "assistant", content: [{ type: "output_text", text: "reading" }] },
  { type: "function_call", call_id: "c1", name: "read", arguments: '{"path":"a.ts"}' },
  { type: "function_call_output", call_id: "c1", output: "body" },
  { role: "developer", content: [{ type: "input_text", text: "note" }] },
  { role: "assistant", content: "done" },
];
const RESPONSES_LOG = [
  "human: q",
  UNREPORTED,
  `model: (hm) | reading | ${READ()}`,
  RESULT(),
  "injected: note",
  UNREPORTED,
  "model: done",
];

const LANGCHAIN = [
  { type: "system", data: { content: "You are." } },
  { type: "human", data: { content: "q" } },
  {
    type: "ai",
    data: {
      id: "a1",
      content: [{ type: "thinking", thinking: "hm" }, text("reading"), { type: "tool_use", id: "c1" }],
      tool_calls: [{ id: "c1", name: "read", args: { path: "a.ts" } }],
      usage_metadata: { input_tokens: 20, output_tokens: 4, input_token_details: { cache_read: 5, cache_creation: 6 } },
      response_metadata: { model_name: "m" },
    },
  },
  { type: "tool", data: { content: "body", tool_call_id: "c1", status: "error" } },
  { type: "ai", data: { content: "done" } },
];
const LANGCHAIN_LOG = [
  "human: q",
  "usage 20 (read 5, write 6) out 4",
  `model: (hm) | reading | ${READ()}`,
  RESULT("c1", ", error"),
  UNREPORTED,
  "model: done",
];
const flat = LANGCHAIN.map(({ type, data }) => ({ type, ...data }));
const CLASSES: { readonly [type: string]: string } = { system: "System", human: "Human", ai: "AI", tool: "Tool" };
const constructors = LANGCHAIN.map(({ type, data }) => {
  return { lc: 1, type: "constructor", id: ["langchain_core", "messages", `${CLASSES[type]}Message`], kwargs: data };
});

const MODEL_MESSAGES = [
  { role: "system", content: "You are." },
  { role: "user", content: [text("q"), { type: "image", image: "QUJD", mediaType: "image/png" }] },
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "hm" },
      text("reading"),
      { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a.ts" } },
    ],
  },
  {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "c1", toolName: "read", output: { type: "error-text", value: "body" } }],
  },
  {
    role: "assistant",
    content: "done",
    usage: { inputTokens: 20, outputTokens: 4, inputTokenDetails: { cacheReadTokens: 5, cacheWriteTokens: 6 } },
  },
];
const MODEL_MESSAGES_LOG = [
  "human: q | <image/png 3>",
  UNREPORTED,
  `model: (hm) | reading | ${READ()}`,
  RESULT("c1", ", error"),
  "usage 20 (read 5, write 6) out 4",
  "model: done",
];

const FAILED = { type: "dynamic-tool", state: "output-error" };
const UI_MESSAGES = [
  { id: "u1", role: "user", parts: [text("q"), { type: "file", mediaType: "image/png", url: "data:image/png;base64,QUJD" }] },
  {
    id: "a1",
    role: "assistant",
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "hm" },
      { type: "tool-read", toolCallId: "c1", state: "output-available", input: { path: "a.ts" }, output: "body" },
      { ...FAILED, toolName: "read", toolCallId: "c2", input: { path: "a.ts" }, errorText: "body" },
      { type: "step-start" },
      text("done"),
    ],
  },
];
const UI_LOG = [
  "human: q | <image/png 3>",
  UNREPORTED,
  `model: (hm) | ${READ()} | ${READ("c2")}`,
  RESULT(),
  RESULT("c2", ", error"),
  UNREPORTED,
  "model: done",
];

test.each([
  ["anthropic-messages", "an array", ANTHROPIC, ANTHROPIC_LOG],
  ["anthropic-messages", "a request", { model: "m", system: "You are.", messages: ANTHROPIC }, ANTHROPIC_LOG],
  ["openai-chat", "an array", CHAT, CHAT_LOG],
  ["openai-chat", "a request", { model: "m", messages: CHAT }, CHAT_LOG],
  ["openai-responses", "an array", RESPONSES, RESPONSES_LOG],
  ["openai-responses", "a request", { model: "m", instructions: "You are.", input: RESPONSES }, RESPONSES_LOG],
  ["langchain", "dictionaries", LANGCHAIN, LANGCHAIN_LOG],
  ["langchain", "flat messages", { messages: flat }, LANGCHAIN_LOG],
  ["langchain", "serialised constructors", constructors, LANGCHAIN_LOG],
  ["ai-sdk", "model messages", MODEL_MESSAGES, MODEL_MESSAGES_LOG],
  ["ai-sdk", "UI messages", UI_MESSAGES, UI_LOG],
])("%s: %s", async (format, _, document, log) => {
  expect(await formatAndLog(document)).toEqual({ format, log });
});

describe("files of lists", () => {
  test("one message a line is one session", async () => {
    const [transcript, ...others] = await importObjects(CHAT);
    expect(others).toEqual([]);
    expect(transcript?.format).toBe("openai-chat");
    expect(describeLog(transcript).length).toBe(CHAT_LOG.length + 1);
  });

  test("one request a line is a session each", async () => {
    const transcripts = await importObjects([{ messages: CHAT }, { messages: CHAT }]);
    expect(transcripts.map((transcript) => transcript.name)).toEqual(["log#0", "log#1"]);
  });

  test("the system text of a request or of a first message starts the log", async () => {
    const [chat] = await importDocument(CHAT);
    const declared = [{ name: "read", input_schema: {} }];
    const [request] = await importDocument({ system: [text("You are.")], messages: ANTHROPIC, tools: declared });
    expect(chat?.entries[0]).toMatchObject({ system: "You are." });
    const tools = [{ name: "read", description: "", parametersJson: "{}" }];
    expect(request?.entries[0]).toMatchObject({ system: "You are.", tools });
  });
});
