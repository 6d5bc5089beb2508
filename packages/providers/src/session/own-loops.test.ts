import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { type SimulatedRequest, type Simulator, startSimulator } from "@plimsoll/simulator";
import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import { work as anthropic } from "../../examples/own-loop.ts";
import { work as chat } from "../../examples/own-loop-chat.ts";
import { work as responses } from "../../examples/own-loop-responses.ts";
import { readsTwo } from "../../testing/wire-sessions.ts";

const STEPS = 20;

const nextReply = ({ replyIndex }: SimulatedRequest) => readsTwo(replyIndex, STEPS);

const run = async (name: string, argumentsJson: string) =>
  Array.from({ length: 60 }, (_, line) => `${line}: ${name} of ${argumentsJson}`).join("\n");

const tool = { name: "read_file", description: "Reads a file.", parameters: { type: "object", properties: {} } };
const openAi = ({ openAiUrl }: Simulator) => new OpenAI({ apiKey: "key", baseURL: openAiUrl, maxRetries: 0 });

const loops: readonly { readonly file: string; readonly work: (simulator: Simulator) => Promise<string> }[] = [
  {
    file: "own-loop.ts",
    work: ({ url }) =>
      anthropic(
        new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 }),
        "Read all files.",
        [{ name: tool.name, description: tool.description, input_schema: { type: "object", properties: {} } }],
        run,
      ),
  },
  {
    file: "own-loop-chat.ts",
    work: (simulator) => chat(openAi(simulator), "Read all files.", [{ type: "function", function: tool }], run),
  },
  {
    file: "own-loop-responses.ts",
    work: (simulator) => responses(openAi(simulator), "Read all files.", [{ type: "function", strict: false, ...tool }], run),
  },
];

test.each(loops)("$file runs to its end and has at most 25 lines", async ({ file, work }) => {
  const simulator = await startSimulator({ replies: nextReply, contextWindowTokens: 1_000_000, nowMs: () => 0 });
  onTestFinished(() => simulator.close());
  expect(await work(simulator)).toBe("All files are read.");
  expect(simulator.exchanges().map(({ outcome }) => outcome)).toEqual(Array.from({ length: STEPS + 1 }, () => "answered"));
  const text = readFileSync(new URL(`../../examples/${file}`, import.meta.url), "utf8");
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(25);
});

test.each(loops.slice(0, 2))("$file goes on in a window that is smaller than the catalogue says", async ({ work }) => {
  const simulator = await startSimulator({ replies: nextReply, contextWindowTokens: 24_000, nowMs: () => 0 });
  onTestFinished(() => simulator.close());
  expect(await work(simulator)).toBe("All files are read.");
  const outcomes = simulator.exchanges().map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome === "answered")).toHaveLength(STEPS + 1);
  expect(outcomes.filter((outcome) => outcome !== "answered").length).toBeGreaterThan(0);
});
