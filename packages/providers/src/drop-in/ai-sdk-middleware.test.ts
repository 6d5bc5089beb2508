import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { NONE_POLICY, PLIMSOLL_POLICY, type Policy } from "@plimsoll/core";
import {
  type SimulatedReply,
  type SimulatedRequest,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from "@plimsoll/simulator";
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { expect, onTestFinished, test } from "vitest";
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

/** The model believes in a window that is larger than the provider's, so that only an overflow shows the true one. */
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

test.each([
  [{ conversaton: "u1" }, "did you mean conversation?"],
  [{ conversation: 1 }, "conversation: expected string"],
])("the own options %j of a call are refused", async (plimsoll, message) => {
  const { settings } = agentOn(await simulatorWith(), PLIMSOLL_POLICY);
  await expect(generateText({ ...settings, providerOptions: { plimsoll } })).rejects.toThrow(message);
});

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

test("tools whose options change at each request are sent as they are, in one conversation from which no thinking leaves", async () => {
  const sent: unknown[] = [];
  const signed = { anthropic: { signature: "sealed" } };
  const usage = {
    inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const finishReason = { unified: "stop", raw: "end_turn" } as const;
  const model = new MockLanguageModelV3({
    provider: "anthropic.messages",
    modelId: "claude-fable-5-2",
    doGenerate: async ({ tools }) => {
      sent.push(tools);
      const content = [
        { type: "reasoning", text: "why", providerMetadata: signed },
        { type: "text", text: "so" },
      ] as const;
      return { content: [...content], finishReason, usage, warnings: [] };
    },
  });
  const middleware = createCompactionMiddleware({
    policy: PLIMSOLL_POLICY,
    limits: { contextWindowTokens: 8_000, maxOutputTokens: 500 },
  });
  const wrapped = wrapLanguageModel({ model, middleware });
  type CallOptions = Parameters<typeof model.doGenerate>[0];
  const prompt: CallOptions["prompt"] = [];
  const given: unknown[] = [];
  for (let index = 0; index < 4; index += 1) {
    prompt.push({ role: "user", content: [{ type: "text", text: `go ${index}` }] });
    const anthropic = { eagerInputStreaming: index % 2 === 0, cacheControl: index > 1 ? { type: "ephemeral" } : null };
    const tools: CallOptions["tools"] = [
      { type: "function", name: "read", inputSchema: { type: "object" }, providerOptions: { anthropic } },
      { type: "provider", id: "anthropic.web_search_20250305", name: "web_search", args: { maxUses: 3 } },
    ];
    given.push(tools);
    await wrapped.doGenerate({ prompt: [...prompt], tools });
    const thought = { type: "reasoning", text: "why", providerOptions: signed } as const;
    prompt.push({ role: "assistant", content: [thought, { type: "text", text: "so" }] });
  }
  expect(JSON.stringify(sent)).toBe(JSON.stringify(given));
  expect(middleware.conversations()).toHaveLength(1);
  const entries = middleware.conversations().flatMap((log) => log.entries);
  expect(entries.filter(({ type }) => type === "setup-change")).toEqual([]);
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
