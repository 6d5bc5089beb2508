import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import { runAgent as runAiSdkAgent } from "../../examples/ai-sdk-agent.ts";
import { runAgent as runAnthropicAgent } from "../../examples/anthropic-agent.ts";
import { runAgent as runChatAgent } from "../../examples/chat-agent.ts";
import { runAgent as runResponsesAgent } from "../../examples/responses-agent.ts";
import type { SimulatedReply, SimulatedRequest, Simulator } from "../simulator/index.ts";
import { startSimulator } from "../simulator/index.ts";

const STEPS = 60;
const WINDOW_TOKENS = 32_000;

/** What the simulator counts where it is not told otherwise. */
const CHARS_PER_TOKEN = 4;

/** Reads two files a step with some reasoning before it, and says at the end that it is done. */
function nextReply({ replyIndex }: SimulatedRequest): SimulatedReply {
  if (replyIndex >= STEPS) return { parts: [{ type: "text", text: "All files are read." }] };
  const calls = ["a", "b"].map((name) => ({
    type: "tool-call" as const,
    toolName: "read_file",
    argumentsJson: JSON.stringify({ path: `${name}-${replyIndex}.ts` }),
  }));
  return { parts: [{ type: "reasoning", text: "two more" }, { type: "text", text: `Step ${replyIndex}.` }, ...calls] };
}

const FILE_TEXT = Array.from({ length: 60 }, (_, line) => `${line}: export const value${line} = read(${line});`).join("\n");

const examples: readonly { readonly name: string; readonly run: (simulator: Simulator) => Promise<readonly unknown[]> }[] = [
  {
    name: "Anthropic messages",
    run: ({ url }) =>
      runAnthropicAgent(new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 }), "Read all files.", () => FILE_TEXT),
  },
  {
    name: "Chat Completions messages",
    run: ({ openAiUrl }) =>
      runChatAgent(new OpenAI({ apiKey: "key", baseURL: openAiUrl, maxRetries: 0 }), "Read all files.", () => FILE_TEXT),
  },
  {
    name: "Responses items",
    run: ({ openAiUrl }) =>
      runResponsesAgent(new OpenAI({ apiKey: "key", baseURL: openAiUrl, maxRetries: 0 }), "Read all files.", () => FILE_TEXT),
  },
  {
    name: "AI SDK",
    run: ({ openAiUrl }) =>
      runAiSdkAgent(
        createOpenAICompatible({ name: "simulated", apiKey: "key", baseURL: openAiUrl })("simulated"),
        "Read all files.",
        () => FILE_TEXT,
      ),
  },
];

test.each(examples)("$name: the example outlives its window, its array stays whole", { timeout: 60_000 }, async ({ run }) => {
  const simulator = await startSimulator({ replies: nextReply, contextWindowTokens: WINDOW_TOKENS, nowMs: () => 0 });
  onTestFinished(() => simulator.close());
  const whole = await run(simulator);
  const exchanges = simulator.exchanges();
  expect(exchanges.filter(({ outcome }) => outcome !== "answered")).toEqual([]);
  expect(exchanges).toHaveLength(STEPS + 1);
  expect(whole.length).toBeGreaterThan(2 * STEPS);
  const largestTokens = Math.max(...exchanges.map(({ promptTokens }) => promptTokens ?? 0));
  expect(largestTokens).toBeGreaterThan(WINDOW_TOKENS / 2);
  expect(largestTokens).toBeLessThanOrEqual(WINDOW_TOKENS);
  expect(JSON.stringify(whole).length / CHARS_PER_TOKEN).toBeGreaterThan(2 * WINDOW_TOKENS);
});
