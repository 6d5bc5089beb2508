import type { ModelEvent } from "@plimsoll/core";
import { calling, human, never, reply, result } from "@plimsoll/core/testing";
import { type Simulator, startSimulator } from "@plimsoll/simulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAnthropicClient } from "./client.ts";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({
    replies: () => ({
      parts: [
        { type: "reasoning", text: "which files are there" },
        { type: "text", text: "I will look." },
        { type: "tool-call", toolName: "read_file", argumentsJson: '{"path": "a.ts"}' },
        { type: "tool-call", toolName: "read_file", argumentsJson: '{"path": "b.ts"}' },
      ],
    }),
  });
});
afterAll(() => simulator.close());

const client = () => createAnthropicClient({ baseUrl: simulator.url, environment: { ANTHROPIC_API_KEY: "key-1" } });
const request = {
  context: {
    system: "be brief",
    tools: [{ name: "read_file", description: "reads", parametersJson: '{"type":"object"}' }],
    messages: [human("1", "look"), calling("2", ["c.1", "c2"]), result("3", "c.1", "one"), result("4", "c2", "two")],
    dynamicContext: "branch main",
  },
  modelId: "claude-simulated",
  maxOutputTokens: 1000,
};

test("a whole and a streamed reply are the same", async () => {
  const whole = await client().complete(request, never);
  const events: ModelEvent[] = [];
  for await (const event of client().stream(request, never)) events.push(event);
  const last = events.at(-1);
  expect(last?.type).toBe("reply");
  expect(events.map(({ type }) => type)).toEqual([
    "reasoning-delta",
    "reasoning-delta",
    "text-delta",
    "text-delta",
    "tool-call-start",
    "tool-call-start",
    "reply",
  ]);
  expect(whole.draft.parts.map(({ type }) => type)).toEqual(["reasoning", "text", "tool-call", "tool-call"]);
  expect(whole.stopReason).toBe("tool-calls");
  expect(last).toMatchObject({ reply: { stopReason: "tool-calls", draft: { modelId: "claude-simulated" } } });
  const followUp = { ...whole.draft, id: "5" };
  const [first, second] = whole.draft.parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
  const next = await client().complete(
    {
      ...request,
      context: {
        ...request.context,
        messages: [
          ...request.context.messages,
          reply("4b", "done so far"),
          human("4c", "more"),
          followUp,
          result("6", first ?? "", "x"),
          result("7", second ?? "", ""),
        ],
      },
    },
    never,
  );
  expect(next.usage.input.totalTokens).toBeGreaterThan(0);
  expect(simulator.exchanges().map(({ error }) => error)).toEqual([null, null, null]);
});

test("a window behind a model's id is not sent", async () => {
  await client().complete({ ...request, modelId: "claude-opus-4-8[1m]" }, never);
  expect(simulator.exchanges().at(-1)?.modelId).toBe("claude-opus-4-8");
});
