import {
  type Launch,
  NOTES_FILE,
  type Place,
  PRINT_COMMAND,
  type ProgramWithDefault,
  type Setup,
  type ToolPattern,
} from "../program.ts";

/** The common part of pi's two scopes: pi asks on the Chat Completions wire and reads window and output from a file of models. */
const PI = {
  licence: "MIT",
  modelId: "simulated-model",
  windows: { kind: "any", tellsOutput: true },
  messages: "several",
  rulesFile: "AGENTS.md",
  kinds: [{ kind: "summary", if: { tools: "none" } }],
  tools,
  launch,
  asInstalled,
} as const;

/** Under its old scope, the last version there. */
export const PI_OLD: ProgramWithDefault = {
  ...PI,
  name: "pi",
  title: "pi, old scope",
  packageName: "@mariozechner/pi-coding-agent",
  version: "0.73.1",
  entry: "@mariozechner/pi-coding-agent/dist/cli.js",
  runtime: "node",
};

/** Under its new scope: the version whose thresholds were watched. */
export const PI_NEW: ProgramWithDefault = {
  ...PI,
  name: "pi-new",
  title: "pi, new scope",
  packageName: "@earendil-works/pi-coding-agent",
  version: "0.87.1",
  entry: "@earendil-works/pi-coding-agent/dist/bundle/cli.js",
  runtime: "node-22",
};

/** The newest version that could be installed on 2026-11-26; its thresholds were not watched. */
export const PI_NEWEST: ProgramWithDefault = { ...PI_NEW, title: "pi", version: "1.3.0" };

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
  return launchWith({ home, prompts }, { simulated: provider }, ["--provider", "simulated", "--model", modelId]);
}

/** With its own model of Anthropic's. */
function asInstalled({ url, home, prompts }: Place): Launch {
  return launchWith({ home, prompts }, { anthropic: { baseUrl: url, apiKey: "simulated" } }, []);
}

function launchWith({ home, prompts }: Pick<Place, "home" | "prompts">, providers: object, args: readonly string[]): Launch {
  return {
    files: { [`${home}/.pi/agent/models.json`]: JSON.stringify({ providers }) },
    env: { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" },
    start: { commands: [["--offline", ...args, "-p", ...prompts]] },
  };
}
