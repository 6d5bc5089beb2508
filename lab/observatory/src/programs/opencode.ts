import { type Launch, NOTES_FILE, type Place, PRINT_COMMAND, type ProgramWithDefault, type Setup } from "../program.ts";

/** OpenCode on the Chat Completions wire, with window and output in its settings; with its own model of OpenAI's, on the Responses wire. */
export const OPENCODE: ProgramWithDefault = opencodeWith({
  name: "opencode",
  npm: "@ai-sdk/openai-compatible",
  modelId: "simulated-model",
  vendor: "openai",
});

/** OpenCode on the Messages wire. */
export const OPENCODE_ANTHROPIC: ProgramWithDefault = opencodeWith({
  name: "opencode-anthropic",
  npm: "@ai-sdk/anthropic",
  modelId: "claude-simulated",
  vendor: "anthropic",
});

interface Variant {
  readonly name: string;
  /** The client of a model that its settings name. */
  readonly npm: string;
  readonly modelId: string;
  /** The vendor whose address is set if the settings name no model. */
  readonly vendor: string;
}

function opencodeWith({ name, npm, modelId, vendor }: Variant): ProgramWithDefault {
  return {
    name,
    title: name === "opencode" ? "OpenCode" : "OpenCode on the Messages wire",
    packageName: "opencode-ai",
    version: "1.18.33",
    licence: "MIT",
    entry: "opencode-linux-x64/bin/opencode",
    runtime: "itself",
    modelId,
    windows: { kind: "any", tellsOutput: true },
    messages: "several",
    rulesFile: "AGENTS.md",
    kinds: [
      { kind: "title", if: { tools: "none", newest: "person", place: "first" } },
      { kind: "summary", if: { tools: "none" } },
    ],
    tools: (work) => [
      { use: "read", name: "read", arguments: { filePath: `${work}/${NOTES_FILE}` } },
      { name: "bash", arguments: { command: PRINT_COMMAND, description: "Prints lines" } },
    ],
    launch: (setup) => launchWith(setup, { config: toldOf(setup, npm), args: ["-m", `simulated/${setup.modelId}`] }),
    asInstalled: (place) => launchWith(place, { config: { provider: { [vendor]: { options: optionsOf(place) } } }, args: [] }),
  };
}

const optionsOf = ({ url }: Place) => ({ baseURL: `${url}/v1`, apiKey: "simulated" });

function toldOf({ modelId, windowTokens, outputTokens, ...place }: Setup, npm: string): object {
  const model = { name: modelId, limit: { context: windowTokens, output: outputTokens }, tool_call: true };
  const simulated = { npm, name: "simulated", options: optionsOf(place), models: { [modelId]: model } };
  return { model: `simulated/${modelId}`, provider: { simulated } };
}

function launchWith(
  { home, prompts }: Place,
  { config, args }: { readonly config: object; readonly args: readonly string[] },
): Launch {
  return {
    files: {
      [`${home}/.config/opencode/opencode.json`]: JSON.stringify({
        autoupdate: false,
        share: "disabled",
        permission: "allow",
        ...config,
      }),
    },
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_SHARE: "1",
    },
    start: { commands: prompts.map((prompt, index) => ["run", ...(index === 0 ? [] : ["-c"]), ...args, prompt]) },
  };
}
