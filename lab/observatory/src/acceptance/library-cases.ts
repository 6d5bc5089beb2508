import type { PlayRequest } from "../play.ts";
import type { Program } from "../program.ts";
import { type AcceptanceCase, CALL_TOKENS, FIRST_MESSAGE, SMALL_TOKENS } from "./case.ts";

/** Steps of one session: a call of a tool each, and an answer at the end. */
const STEPS = 100;

/** Characters of a token, as the simulator counts. */
const CHARS_PER_TOKEN = 4;

/** An adapter under the example that its page names. */
export interface Library {
  readonly name: string;
  readonly title: string;
  /** The example's name for `run.mjs`. */
  readonly example: string;
  readonly libraries: readonly string[];
  readonly runtime?: Program["runtime"];
  readonly server?: PlayRequest["server"];
  /** Text that a call returns; as elsewhere if it is left out. */
  readonly callTokens?: number;
}

/** By name, since for a range npm takes a version that runs on its own Node: from 1.5.9 on the model's package asks for Node 22. */
const LANGCHAIN = {
  libraries: ["langchain@1", "@langchain/core@1", "@langchain/langgraph@1", "@langchain/openai@latest"],
  runtime: "node-22",
} as const;

/** Every adapter, at the versions that are in use. */
export const LIBRARIES: readonly Library[] = [
  { name: "ai-sdk-6", title: "AI SDK 6", example: "ai-sdk", libraries: ["ai@6", "@ai-sdk/openai-compatible@2"] },
  {
    name: "ai-sdk-7",
    title: "AI SDK 7",
    example: "ai-sdk",
    libraries: ["ai@7", "@ai-sdk/openai-compatible@3"],
    runtime: "node-22",
  },
  {
    name: "langchain",
    title: "LangChain, LangGraph",
    example: "langchain",
    ...LANGCHAIN,
  },
  {
    name: "openai-agents",
    title: "OpenAI Agents",
    example: "openai-agents",
    libraries: ["@openai/agents-core@~0.14.3", "@openai/agents-openai@~0.14.3", "openai@6"],
  },
  { name: "anthropic", title: "Anthropic messages", example: "anthropic", libraries: ["@anthropic-ai/sdk@1"] },
  { name: "chat", title: "Chat Completions messages", example: "chat", libraries: ["openai@6"] },
  { name: "responses", title: "Responses items", example: "responses", libraries: ["openai@6"] },
  { name: "gemini", title: "Gemini contents", example: "gemini", libraries: ["@google/genai@2"] },
];

/** The ends of the peer ranges that the rows above are not: the lowest version that can be had, and the newest of the last major. */
const ENDS: readonly Library[] = [
  {
    name: "ai-sdk-lowest",
    title: "AI SDK, lowest",
    example: "ai-sdk",
    libraries: ["ai@6.0.0", "@ai-sdk/openai-compatible@2.0.0"],
  },
  {
    name: "langchain-lowest",
    title: "LangChain, LangGraph, lowest",
    example: "langchain",
    // The first of each that can be installed together.
    libraries: [
      "langchain@1.0.1",
      "@langchain/core@1.0.1",
      "@langchain/langgraph@1.0.0",
      "@langchain/langgraph-checkpoint@1.0.0",
      "@langchain/openai@1.0.0",
    ],
  },
  {
    name: "openai-agents-lowest",
    title: "OpenAI Agents, lowest",
    example: "openai-agents",
    libraries: ["@openai/agents-core@0.11.0", "@openai/agents-openai@0.11.0", "openai@6"],
  },
  {
    name: "openai-agents-highest",
    title: "OpenAI Agents, highest",
    example: "openai-agents",
    libraries: ["@openai/agents-core@0", "@openai/agents-openai@0", "openai@6"],
    runtime: "node-22",
  },
  {
    name: "anthropic-lowest",
    title: "Anthropic messages, lowest",
    example: "anthropic",
    libraries: ["@anthropic-ai/sdk@0.80.0"],
  },
  { name: "chat-lowest", title: "Chat Completions messages, lowest", example: "chat", libraries: ["openai@6.0.0"] },
  {
    name: "responses-highest",
    title: "Responses items, highest",
    example: "responses",
    libraries: ["openai@7"],
    runtime: "node-22",
  },
  { name: "gemini-lowest", title: "Gemini contents, lowest", example: "gemini", libraries: ["@google/genai@2.0.0"] },
  {
    name: "gemini-highest",
    title: "Gemini contents, highest",
    example: "gemini",
    libraries: ["@google/genai@3"],
    runtime: "node-22",
  },
];

/** So much that a session is cut more often. Chosen. */
const MORE_CALL_TOKENS = 1_500;

/** Servers and models with rules of their own. */
const STRICT: readonly Library[] = [
  {
    name: "langchain-turns",
    title: "LangChain, LangGraph, turns",
    example: "langchain",
    ...LANGCHAIN,
    server: { roles: "alternate" },
    callTokens: MORE_CALL_TOKENS,
  },
  {
    name: "anthropic-thinking",
    title: "Anthropic messages, thinking",
    example: "anthropic",
    libraries: ["@anthropic-ai/sdk@1"],
    server: { reasoning: "every-reply" },
    callTokens: MORE_CALL_TOKENS,
  },
];

/** All adapters of libraries, the ends of their ranges, and strict servers. */
export const LIBRARY_CASES: readonly AcceptanceCase[] = [...LIBRARIES, ...ENDS, ...STRICT].map((library) =>
  libraryCase(library, STEPS),
);

/** A library's row with so many steps. */
export function libraryCase(
  { name, title, libraries, server, callTokens = CALL_TOKENS, ...how }: Library,
  steps: number,
): AcceptanceCase {
  return {
    name,
    title,
    kind: "library",
    ours: ["core", "providers"],
    libraries,
    program: () => exampleProgram({ name, title, ...how }),
    windowTokens: SMALL_TOKENS,
    steps,
    resumes: 0,
    request: {
      scenario: {
        name,
        windowTokens: SMALL_TOKENS,
        windowHolds: "prompt-and-reply",
        main: [{ call: { outputTokens: callTokens }, repeat: steps }],
      },
      limits: { windowTokens: SMALL_TOKENS, outputTokens: null },
      ...(server === undefined ? {} : { server }),
      prompts: [FIRST_MESSAGE],
      files: Object.fromEntries(
        Array.from({ length: steps }, (_, index) => [`notes-${index + 1}.txt`, notesOf(index + 1, callTokens)]),
      ),
    },
  };
}

function notesOf(call: number, tokens: number): string {
  const chars = tokens * CHARS_PER_TOKEN;
  const line = `line of call ${call}\n`;
  return line.repeat(Math.ceil(chars / line.length)).slice(0, chars);
}

/** The example that a person runs by `examples/run.mjs`, as a program. */
function exampleProgram({
  name,
  title,
  example,
  runtime = "node",
}: Omit<Library, "libraries" | "server" | "callTokens">): Program {
  return {
    name,
    title,
    packageName: name,
    version: "0.0.0",
    licence: "MIT",
    // Beside the project's node_modules, as the examples import its packages.
    entry: "../examples/run.mjs",
    runtime,
    modelId: "simulated-model",
    windows: { kind: "any", tellsOutput: false },
    messages: "one",
    rulesFile: "",
    kinds: [{ kind: "summary", if: { tools: "none" } }],
    tools: () => [{ name: "read_file", arguments: { path: "notes-{n}.txt" } }],
    launch: ({ url, prompts }) => ({
      files: {},
      env: {
        ANTHROPIC_API_KEY: "simulated",
        ANTHROPIC_BASE_URL: url,
        OPENAI_API_KEY: "simulated",
        OPENAI_BASE_URL: `${url}/v1`,
        GEMINI_API_KEY: "simulated",
        GEMINI_BASE_URL: url,
      },
      start: { commands: prompts.map((prompt) => [example, prompt]) },
    }),
  };
}
