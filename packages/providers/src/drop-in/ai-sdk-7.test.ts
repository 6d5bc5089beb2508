import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { type SimulatedReply, type SimulatedRequest, startSimulator } from "@plimsoll/simulator";
import { expect, onTestFinished, test, vi } from "vitest";
import { createCompactionMiddleware } from "./ai-sdk.ts";

/** The parts of version 7 that these tests use. Its types differ from those that this package is checked against; `pnpm run peers` checks both. */
interface Sdk {
  readonly generateText: (options: object) => Promise<{ readonly responseMessages: readonly unknown[] }>;
  readonly wrapLanguageModel: (options: object) => object;
  readonly stepCountIs: (count: number) => unknown;
  readonly tool: (options: object) => unknown;
  readonly jsonSchema: (schema: object) => unknown;
}

const STEPS = 30;
const WINDOW_TOKENS = 12_000;
const limits = { contextWindowTokens: WINDOW_TOKENS, maxOutputTokens: 1_000 };
const WORDS = "Read all files, and never touch the harbour folder.";
const FILE_TEXT = "line of a file;\n".repeat(120);

function nextReply({ replyIndex }: SimulatedRequest): SimulatedReply {
  if (replyIndex >= STEPS) return { parts: [{ type: "text", text: "All files are read." }] };
  const argumentsJson = JSON.stringify({ path: `${replyIndex}.ts` });
  return { parts: [{ type: "tool-call", toolName: "read_file", argumentsJson }] };
}

test("version 7, the middleware: a run outlives its window, and is one conversation", { timeout: 120_000 }, async () => {
  const sdk = await vi.importActual<Sdk>("ai-7");
  const bodies: string[] = [];
  const simulator = await startSimulator({
    replies: nextReply,
    contextWindowTokens: WINDOW_TOKENS,
    nowMs: () => 0,
    onRequest: (_, body) => bodies.push(JSON.stringify(body)),
  });
  onTestFinished(() => simulator.close());
  const model = createOpenAICompatible({ name: "simulated", apiKey: "key", baseURL: simulator.openAiUrl })("simulated");
  const middleware = createCompactionMiddleware({ policy: PLIMSOLL_POLICY, limits, nowMs: () => 0 });
  await sdk.generateText({
    model: sdk.wrapLanguageModel({ model, middleware }),
    prompt: WORDS,
    maxOutputTokens: 1_000,
    maxRetries: 0,
    stopWhen: sdk.stepCountIs(100),
    tools: { read_file: sdk.tool({ inputSchema: sdk.jsonSchema({ type: "object" }), execute: () => FILE_TEXT }) },
  });
  expect(simulator.exchanges().map(({ outcome }) => outcome)).toEqual(Array.from({ length: STEPS + 1 }, () => "answered"));
  expect(bodies.filter((body) => !body.includes(WORDS))).toEqual([]);
  const entries = middleware.conversations().map((log) => log.entries);
  expect(entries).toHaveLength(1);
  expect(entries.flat().filter(({ type }) => type === "message").length).toBeGreaterThan(2 * STEPS);
  expect(entries.flat().filter(({ type }) => type === "compaction").length).toBeGreaterThan(0);
});
