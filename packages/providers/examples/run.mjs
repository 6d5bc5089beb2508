/**
 * Runs an example on the files of the current folder, after `npx -y pnpm@12 build` at the project's root:
 *
 *   node packages/providers/examples/run.mjs anthropic "What is in README.md?"
 *
 * The names are anthropic, chat, responses, ai-sdk, gemini, langchain and openai-agents. Keys come from ANTHROPIC_API_KEY, OPENAI_API_KEY and GEMINI_API_KEY; with ANTHROPIC_BASE_URL,
 * OPENAI_BASE_URL or GEMINI_BASE_URL it talks to `plimsoll simulate`.
 */
import { readFileSync } from "node:fs";
import process from "node:process";

const [name = "anthropic", task = "What is in README.md?"] = process.argv.slice(2);

/** @param {unknown} input Arguments as an object, or a call that has them as text. */
function readFile(input) {
  const text = JSON.stringify(input).replaceAll("\\", "");
  const path = text.split('"path":')[1]?.split('"')[1] ?? "README.md";
  return readFileSync(path, "utf8");
}
const openAi = {
  baseURL: process.env.OPENAI_BASE_URL ?? "https://api.openai.com/v1",
  apiKey: process.env.OPENAI_API_KEY ?? "none",
};
const gemini = {
  apiKey: process.env.GEMINI_API_KEY ?? "none",
  httpOptions: { baseUrl: process.env.GEMINI_BASE_URL ?? "https://generativelanguage.googleapis.com" },
};

/** Each imports only its own packages, so that one vendor's package is enough. @type {Readonly<Record<string, () => Promise<readonly unknown[]>>>} */
const examples = {
  anthropic: async () => {
    const { default: Anthropic } = await import("@anthropic-ai/sdk");
    return await (await import("./anthropic-agent.mjs")).runAgent(new Anthropic(), task, readFile);
  },
  chat: async () => {
    const { default: OpenAI } = await import("openai");
    return await (await import("./chat-agent.mjs")).runAgent(new OpenAI(openAi), task, readFile);
  },
  responses: async () => {
    const { default: OpenAI } = await import("openai");
    return await (await import("./responses-agent.mjs")).runAgent(new OpenAI(openAi), task, readFile);
  },
  "ai-sdk": async () => {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const model = createOpenAICompatible({ name: "openai", ...openAi })("gpt-4.1-mini");
    return await (await import("./ai-sdk-agent.mjs")).runAgent(model, task, readFile);
  },
  gemini: async () => {
    const { GoogleGenAI } = await import("@google/genai");
    return await (await import("./gemini-agent.mjs")).runAgent(new GoogleGenAI(gemini), task, readFile);
  },
  langchain: async () => {
    const { ChatOpenAI } = await import("@langchain/openai");
    const configuration = { baseURL: openAi.baseURL };
    const model = new ChatOpenAI({ model: "gpt-5-mini", apiKey: openAi.apiKey, configuration });
    return await (await import("./langchain-agent.mjs")).runAgent(model, task, readFile);
  },
  "openai-agents": async () => {
    const { OpenAIProvider, OpenAIResponsesModel } = await import("@openai/agents-openai");
    const { setDefaultModelProvider } = await import("@openai/agents-core");
    const { default: OpenAI } = await import("openai");
    const openAIClient = new OpenAI(openAi);
    // A runner of 0.11 asks for one, even if its agents have models.
    setDefaultModelProvider(new OpenAIProvider({ openAIClient }));
    const model = new OpenAIResponsesModel(openAIClient, "gpt-5-mini");
    return await (await import("./openai-agents-agent.mjs")).runAgent(model, task, readFile);
  },
};
const run = examples[name];
if (run === undefined) {
  console.error(`there is no example "${name}"; there are: ${Object.keys(examples).join(", ")}`);
  process.exitCode = 1;
} else console.log(JSON.stringify((await run()).at(-1), null, 2));
