/**
 * Runs an example on the files of the current folder: `node run.ts anthropic "What is in README.md?"` (Node 22.18 or newer, after a build).
 * Keys come from ANTHROPIC_API_KEY and OPENAI_API_KEY. With ANTHROPIC_BASE_URL or OPENAI_BASE_URL it talks to `plimsoll simulate`.
 */
import { readFileSync } from "node:fs";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { runAgent as aiSdk } from "./ai-sdk-agent.ts";
import { runAgent as anthropic } from "./anthropic-agent.ts";
import { runAgent as chat } from "./chat-agent.ts";
import { runAgent as responses } from "./responses-agent.ts";

const [name = "anthropic", task = "What is in README.md?"] = process.argv.slice(2);

/** Arguments come as an object, or as a call that has them as text. */
const readFile = (input: unknown) => {
  const text = JSON.stringify(input).replaceAll("\\", "");
  const path = text.split('"path":')[1]?.split('"')[1] ?? "README.md";
  return readFileSync(path, "utf8");
};
const openAi = {
  baseURL: process.env.OPENAI_BASE_URL ?? "https://api.openai.com/v1",
  apiKey: process.env.OPENAI_API_KEY ?? "none",
};

const examples: Readonly<Record<string, () => Promise<readonly unknown[]>>> = {
  anthropic: () => anthropic(new Anthropic(), task, readFile),
  chat: () => chat(new OpenAI(openAi), task, readFile),
  responses: () => responses(new OpenAI(openAi), task, readFile),
  "ai-sdk": () => aiSdk(createOpenAICompatible({ name: "openai", ...openAi })("gpt-5-mini"), task, readFile),
};
const messages = (await examples[name]?.()) ?? [];
console.log(JSON.stringify(messages.at(-1), null, 2));
