import type { Context, Message } from "@plimsoll/core";
import { expect, test } from "vitest";
import { openAiMessageTokens, openAiOverheadTokens, openAiPromptTokens, openAiReplyTokens } from "./openai-prompt-tokens.ts";

/** One token a word, so that sums can be read. */
const countWords = (text: string) => text.split(" ").filter((word) => word !== "").length;

const human: Message = {
  role: "user",
  id: "1",
  origin: "human",
  parts: [{ type: "text", text: "please look at this" }],
  atMs: null,
};
const reply: Message = {
  role: "assistant",
  id: "2",
  origin: "model",
  parts: [
    { type: "reasoning", text: "five words that are hidden", opaque: null },
    { type: "text", text: "I will look" },
    { type: "tool-call", callId: "c1", toolName: "read_file", argumentsJson: '{"path": "a.ts"}', paths: [] },
  ],
  modelId: null,
  requestId: null,
  stopReason: "tool-calls",
  atMs: null,
};
const image: Message = {
  role: "tool-result",
  id: "3",
  callId: "c1",
  toolName: "read_file",
  isError: false,
  category: "file-content",
  parts: [
    { type: "image", mediaType: "image/png", widthPx: 1024, heightPx: 1024, sizeBytes: null, source: { kind: "absent" } },
  ],
  atMs: null,
};

test.each([
  ["a message: 3 around it, its role, its text", human, 3 + 1 + 4],
  ["a call: 3 around it, name and arguments; reasoning is not sent", reply, 3 + 1 + 3 + (3 + 1 + 2)],
  ["an image: by its tiles", image, 3 + 1 + 85 + 4 * 170],
])("%s", (_, message, tokens) => {
  expect(openAiMessageTokens(message, countWords)).toBe(tokens);
});

test("a reply's output leaves out what a prompt puts around it", () => {
  expect(openAiReplyTokens(reply, countWords)).toBe(3 + (3 + 1 + 2));
});

test.each<[string, Omit<Context, "messages">, number]>([
  ["nothing but the start of the reply", { system: "", tools: [], dynamicContext: null }, 3],
  ["system text", { system: "be brief", tools: [], dynamicContext: null }, 3 + 3 + 1 + 2],
  ["dynamic context", { system: "", tools: [], dynamicContext: "branch main" }, 3 + 3 + 1 + 2],
  [
    "tools",
    { system: "", tools: [{ name: "ls", description: " list files", parametersJson: "{ }" }], dynamicContext: null },
    3 + 12 + 7 + 3 + 2,
  ],
])("overhead: %s", (_, context, tokens) => {
  expect(openAiOverheadTokens(context, countWords)).toBe(tokens);
});

test("a prompt is its overhead and its messages", () => {
  const context: Context = { system: "be brief", tools: [], messages: [human, reply, image], dynamicContext: null };
  expect(openAiPromptTokens(context, countWords)).toBe(9 + 8 + 13 + 769);
});
