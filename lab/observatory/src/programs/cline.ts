import { NOTES_FILE, PRINT_COMMAND, type Program } from "../program.ts";

/** Cline's command line: it asks on the Chat Completions wire. */
export const CLINE: Program = {
  name: "cline",
  title: "Cline CLI",
  packageName: "cline",
  version: "3.0.65",
  licence: "Apache-2.0",
  entry: "@cline/cli-linux-x64/bin/cline",
  runtime: "itself",
  modelId: "simulated-model",
  windows: { kind: "any", tellsOutput: true },
  messages: "one",
  rulesFile: ".clinerules",
  kinds: [{ kind: "summary", if: { tools: "none" } }],
  tools: (work) => [
    { use: "read", name: "read_files", arguments: { files: [{ path: `${work}/${NOTES_FILE}` }] } },
    { name: "run_commands", arguments: { commands: [PRINT_COMMAND] } },
  ],
  launch: ({ url, home, modelId, windowTokens, outputTokens, prompts }) => ({
    files: {
      [`${home}/.cline/data/settings/providers.json`]: JSON.stringify({
        version: 1,
        lastUsedProvider: PROVIDER,
        providers: {
          [PROVIDER]: {
            settings: {
              provider: PROVIDER,
              apiKey: "simulated",
              model: modelId,
              baseUrl: `${url}/v1`,
              contextWindow: windowTokens,
              maxTokens: outputTokens,
            },
            updatedAt: "2026-01-01T00:00:00.000Z",
            tokenSource: "manual",
          },
        },
      }),
    },
    env: { CLINE_DIR: `${home}/.cline`, CLINE_TELEMETRY_DISABLED: "1" },
    start: { commands: prompts.map((prompt) => ["-P", PROVIDER, "-m", modelId, "--auto-approve", "true", prompt]) },
  }),
};

const PROVIDER = "openai-compatible";
