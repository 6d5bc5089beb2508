import { expect, test } from "vitest";
import { piMessage } from "./pi-messages.ts";

test.each([
  ["an object", '{"path":"a"}', { path: "a" }],
  ["a list", "[1]", { input: [1] }],
  ["no JSON", "{", { input: "{" }],
])("a call whose arguments are %s is kept as an object", (_, argumentsJson, expected) => {
  const call = { type: "tool-call", callId: "c", toolName: "read", argumentsJson, paths: [] } as const;
  const reply = {
    role: "assistant",
    id: "a",
    origin: "model",
    parts: [call],
    modelId: null,
    requestId: null,
    stopReason: null,
    atMs: null,
  } as const;
  expect(piMessage(reply, 1)).toMatchObject({
    content: [{ type: "toolCall", name: "read", arguments: expected }],
    stopReason: "toolUse",
  });
});
