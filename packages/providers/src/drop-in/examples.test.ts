import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { ChatOpenAI } from "@langchain/openai";
import { OpenAIChatCompletionsModel, OpenAIResponsesModel } from "@openai/agents-openai";
import { type SimulatedReply, type SimulatedRequest, type Simulator, startSimulator } from "@plimsoll/simulator";
import type { LanguageModel } from "ai";
import OpenAI from "openai";
import { expect, onTestFinished, test, vi } from "vitest";

const STEPS = 60;
const WINDOW_TOKENS = 32_000;

/** Characters that the simulator counts as one token by default. */
const CHARS_PER_TOKEN = 4;

const PINNED = "The gate's code is in a-3.ts.";

/** Calls of context tools, by step. */
const CONTEXT_CALLS: Readonly<Record<number, readonly [string, object]>> = {
  5: ["pin", { text: PINNED }],
  20: ["remaining", {}],
  30: ["recall", { words: "value7 = read(7)" }],
  31: ["pin", { text: "x", atMost: 1_000_000 }],
  40: ["compact", { focus: "the gate" }],
};

/** Reads two files a step with some reasoning before it, or asks about its context, and says at the end that it is done. */
function nextReply({ replyIndex }: SimulatedRequest): SimulatedReply {
  if (replyIndex >= STEPS) return { parts: [{ type: "text", text: "All files are read." }] };
  const files = ["a", "b"].map((name) => ["read_file", { path: `${name}-${replyIndex}.ts` }] as const);
  const asked = CONTEXT_CALLS[replyIndex];
  const calls = (asked === undefined ? files : [asked]).map(([toolName, args]) => ({
    type: "tool-call" as const,
    toolName,
    argumentsJson: JSON.stringify(args),
  }));
  return { parts: [{ type: "reasoning", text: "two more" }, { type: "text", text: `Step ${replyIndex}.` }, ...calls] };
}

const FILE_TEXT = Array.from({ length: 60 }, (_, line) => `${line}: export const value${line} = read(${line});`).join("\n");

const FOLDER = new URL("../../examples/", import.meta.url);

/** An example's function: it takes its SDK's client or model. */
type RunAgent<Client> = (client: Client, task: string, readFile: () => string) => Promise<readonly unknown[]>;

/** The examples are plain JavaScript, so that the oldest Node runs them as they are. */
async function run<Client>(file: string, client: Client): Promise<readonly unknown[]> {
  const { runAgent } = await vi.importActual<{ readonly runAgent: RunAgent<Client> }>(new URL(file, FOLDER).pathname);
  return await runAgent(client, "Read all files.", () => FILE_TEXT);
}

/** The example, with version 7 of the SDK in the place of the one that it names. */
function onVersion7(file: string): string {
  const copy = `.ai-7-${file}.mjs`;
  writeFileSync(new URL(copy, FOLDER), readFileSync(new URL(file, FOLDER), "utf8").replace('from "ai"', 'from "ai-7"'));
  onTestFinished(() => rmSync(new URL(copy, FOLDER)));
  return copy;
}

const openAi = ({ openAiUrl }: Simulator) => new OpenAI({ apiKey: "key", baseURL: openAiUrl, maxRetries: 0 });
const compatible = ({ openAiUrl }: Simulator): LanguageModel =>
  createOpenAICompatible({ name: "simulated", apiKey: "key", baseURL: openAiUrl })("simulated");

interface Example {
  readonly name: string;
  readonly play: (simulator: Simulator) => Promise<readonly unknown[]>;
}

const examples: readonly Example[] = [
  {
    name: "anthropic-agent.mjs",
    play: ({ url }) => run("anthropic-agent.mjs", new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 })),
  },
  { name: "chat-agent.mjs", play: (simulator) => run("chat-agent.mjs", openAi(simulator)) },
  { name: "responses-agent.mjs", play: (simulator) => run("responses-agent.mjs", openAi(simulator)) },
  { name: "ai-sdk-agent.mjs", play: (simulator) => run("ai-sdk-agent.mjs", compatible(simulator)) },
  { name: "ai-sdk-agent.mjs, version 7", play: (simulator) => run(onVersion7("ai-sdk-agent.mjs"), compatible(simulator)) },
  {
    name: "gemini-agent.mjs",
    play: ({ url }) => run("gemini-agent.mjs", new GoogleGenAI({ apiKey: "key", httpOptions: { baseUrl: url } })),
  },
  {
    name: "langchain-agent.mjs",
    play: ({ openAiUrl }) => {
      const configuration = { baseURL: openAiUrl };
      return run("langchain-agent.mjs", new ChatOpenAI({ model: "simulated", apiKey: "key", maxRetries: 0, configuration }));
    },
  },
  {
    name: "openai-agents-agent.mjs, Chat Completions",
    play: (simulator) => run("openai-agents-agent.mjs", new OpenAIChatCompletionsModel(openAi(simulator), "simulated")),
  },
  {
    name: "openai-agents-agent.mjs, Responses",
    play: (simulator) => run("openai-agents-agent.mjs", new OpenAIResponsesModel(openAi(simulator), "simulated")),
  },
];

test.each(examples)("$name outlives its window, its array stays whole", { timeout: 60_000 }, async ({ play }) => {
  const asked: SimulatedRequest[] = [];
  const replies = (request: SimulatedRequest) => {
    asked.push(request);
    return nextReply(request);
  };
  const simulator = await startSimulator({ replies, contextWindowTokens: WINDOW_TOKENS, nowMs: () => 0 });
  onTestFinished(() => simulator.close());
  const whole = await play(simulator);
  const exchanges = simulator.exchanges();
  expect(exchanges.filter(({ outcome }) => outcome !== "answered")).toEqual([]);
  expect(exchanges).toHaveLength(STEPS + 1);
  expect(whole.length).toBeGreaterThan(2 * STEPS);
  // The same tools from the first request to the last, and each call's answer as its result.
  expect(new Set(asked.map(({ toolNames }) => toolNames.toSorted().join()))).toEqual(
    new Set(["compact,pin,read_file,recall,remaining"]),
  );
  const told = JSON.stringify(whole);
  expect(told.match(/Pinned: it stays word for word/g)).toHaveLength(1);
  expect(told).toMatch(/Your context has about \d+ tokens/);
  expect(told).toContain("recall with a handle and start gives more of a text");
  expect(told).toContain("Older history is compacted before your next step");
  const largestTokens = Math.max(...exchanges.map(({ promptTokens }) => promptTokens ?? 0));
  expect(largestTokens).toBeGreaterThan(WINDOW_TOKENS / 2);
  expect(largestTokens).toBeLessThanOrEqual(WINDOW_TOKENS);
  expect(JSON.stringify(whole).length / CHARS_PER_TOKEN).toBeGreaterThan(2 * WINDOW_TOKENS);
});

test.each(readdirSync(FOLDER).filter((name) => name.endsWith("-agent.mjs")))("%s has fewer than 40 lines", (name) => {
  expect(readFileSync(new URL(name, FOLDER), "utf8").trimEnd().split("\n").length).toBeLessThan(40);
});
