import { startSimulator } from "@plimsoll/simulator";
import { expect, test } from "vitest";

test("a call without its result is refused, as the vendor refuses it", async () => {
  const simulator = await startSimulator({
    replies: [{ parts: [{ type: "tool-call", toolName: "read", argumentsJson: '{"path":"a.ts"}' }] }],
    contextWindowTokens: 32_000,
  });
  const ask = async (...messages: readonly object[]) => {
    const body = JSON.stringify({ model: "claude-opus-5-5", max_tokens: 1_000, messages });
    const headers = { "anthropic-version": "2023-06-01", "x-api-key": "any" };
    const answer = await fetch(`${simulator.url}/v1/messages`, { method: "POST", headers, body });
    return JSON.parse(await answer.text());
  };
  const go = { role: "user", content: "Read a.ts." };
  const called = await ask(go);
  expect(called.stop_reason).toBe("tool_use");
  const { error } = await ask(go, { role: "assistant", content: called.content }, { role: "user", content: "And?" });
  expect(error.message).toContain("`tool_use` ids were found without `tool_result` blocks immediately after");
  await simulator.close();
});
