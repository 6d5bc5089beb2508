import type { ToolPattern } from "@plimsoll/providers/simulator";
import type { Launch, Program, Setup } from "../program.ts";
import { NOTES_FILE, PRINT_COMMAND } from "../program.ts";

/** What both of pi's scopes have in common: it asks on the Chat Completions wire and is told window and output in a file of models. */
const PI = {
  licence: "MIT",
  modelId: "simulated-model",
  windows: { kind: "any", tellsOutput: true },
  messages: "several",
  rulesFile: "AGENTS.md",
  kinds: [{ kind: "summary", if: { tools: "none" } }],
  tools,
  launch,
} as const;

/** Under its old scope, the last version there. */
export const PI_OLD: Program = {
  ...PI,
  name: "pi",
  title: "pi, old scope",
  packageName: "@mariozechner/pi-coding-agent",
  version: "0.73.1",
  entry: "@mariozechner/pi-coding-agent/dist/cli.js",
  runtime: "node",
};

/** Under its new scope: the newest version whose packages are all in the registry. */
export const PI_NEW: Program = {
  ...PI,
  name: "pi-new",
  title: "pi, new scope",
  packageName: "@earendil-works/pi-coding-agent",
  version: "0.87.1",
  entry: "@earendil-works/pi-coding-agent/dist/bundle/cli.js",
  runtime: "node-22",
};

function tools(work: string): readonly ToolPattern[] {
  return [
    { use: "read", name: "read", arguments: { path: `${work}/${NOTES_FILE}` } },
    { name: "bash", arguments: { command: PRINT_COMMAND } },
  ];
}

function launch({ url, home, modelId, windowTokens, outputTokens, prompts }: Setup): Launch {
  const model = {
    id: modelId,
    name: modelId,
    reasoning: false,
    input: ["text"],
    contextWindow: windowTokens,
    maxTokens: outputTokens,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
  const provider = { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: "simulated", models: [model] };
  return {
    files: { [`${home}/.pi/agent/models.json`]: JSON.stringify({ providers: { simulated: provider } }) },
    env: { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" },
    start: { commands: [["--offline", "--provider", "simulated", "--model", modelId, "-p", ...prompts]] },
  };
}
