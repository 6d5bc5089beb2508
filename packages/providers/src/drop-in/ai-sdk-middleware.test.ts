import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Policy } from "@plimsoll/core";
import { NONE_POLICY, PLIMSOLL_POLICY } from "@plimsoll/core";
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { expect, onTestFinished, test } from "vitest";
import type { SimulatorOptions } from "../simulator/options.ts";
import type { SimulatedReply, SimulatedRequest } from "../simulator/reply.ts";
import type { Simulator } from "../simulator/simulator.ts";
import { startSimulator } from "../simulator/simulator.ts";
import { createCompactionMiddleware } from "./ai-sdk.ts";

const STEPS = 30;

function nextReply({ replyIndex }: SimulatedRequest): SimulatedReply {
  if (replyIndex >= STEPS) return { parts: [{ type: "text", text: "All files are read." }] };
  const argumentsJson = JSON.stringify({ path: `${replyIndex}.ts` });
  return {
    parts: [
      { type: "text", text: `Step ${replyIndex}.` },
      { type: "tool-call", toolName: "read_file", argumentsJson },
    ],
  };
}

const FILE_TEXT = Array.from({ length: 100 }, (_, line) => `${line}: export const value${line} = read(${line});`).join("\n");

async function simulatorWith(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const simulator = await startSimulator({ replies: nextReply, contextWindowTokens: 12_000, nowMs: () => 0, ...options });
  onTestFinished(() => simulator.close());
  return simulator;
}

/** The model believes in a window that is larger than the provider's, so that only an overflow tells. */
function agentOn({ openAiUrl }: Simulator, policy: Policy) {
  const limits = { contextWindowTokens: 200_000, maxOutputTokens: 1_000 };
  const middleware = createCompactionMiddleware({ policy, limits });
  const model = createOpenAICompatible({ name: "simulated", apiKey: "key", baseURL: openAiUrl, includeUsage: true })(
    "simulated",
  );
  const settings = {
    model: wrapLanguageModel({ model, middleware }),
    prompt: "Read all files.",
    maxOutputTokens: 1_000,
    maxRetries: 0,
    stopWhen: stepCountIs(100),
    tools: { read_file: tool({ inputSchema: jsonSchema({ type: "object" }), execute: () => FILE_TEXT }) },
  };
  return { middleware, settings };
}

test.each<[string, (settings: ReturnType<typeof agentOn>["settings"]) => PromiseLike<string>]>([
  ["generateText", async (settings) => (await generateText(settings)).text],
  ["streamText", (settings) => streamText(settings).text],
])("%s: a prompt that does not fit is compacted and sent again", { timeout: 60_000 }, async (_, ask) => {
  const simulator = await simulatorWith();
  const { middleware, settings } = agentOn(simulator, PLIMSOLL_POLICY);
  expect(await ask(settings)).toBe("All files are read.");
  const outcomes = simulator.exchanges().map(({ outcome }) => outcome);
  const overflows = outcomes.filter((outcome) => outcome === "overflow").length;
  expect(overflows).toBeGreaterThan(0);
  expect(outcomes.filter((outcome) => outcome === "answered")).toHaveLength(STEPS + 1);
  expect(outcomes).toHaveLength(STEPS + 1 + overflows);
  const logs = middleware.conversations();
  expect(logs).toHaveLength(1);
  const entries = logs.flatMap((log) => log.entries);
  const reasons = entries.flatMap((entry) => (entry.type === "compaction" ? [entry.record.reason] : []));
  expect(reasons.filter((reason) => reason === "overflow").length).toBeGreaterThan(0);
  // Usage of streamed and whole answers alike is known to the log.
  const reported = entries.flatMap((entry) => (entry.type === "usage" ? [entry.usage.input.totalTokens] : []));
  // A rejection that names the size of the prompt is a report, too.
  expect(reported).toHaveLength(STEPS + 1 + overflows);
  expect(reported.every((tokens) => tokens !== null && tokens > 0)).toBe(true);
});

test("with compaction off the provider's error reaches the caller", async () => {
  const { settings } = agentOn(await simulatorWith(), NONE_POLICY);
  await expect(generateText(settings)).rejects.toThrow("maximum context length");
});

test("another failure is the caller's, and is not sent again", async () => {
  const simulator = await simulatorWith({ faults: () => ({ kind: "status", status: 500 }) });
  await expect(generateText(agentOn(simulator, PLIMSOLL_POLICY).settings)).rejects.toThrow("server had an error");
  expect(simulator.exchanges()).toHaveLength(1);
});
