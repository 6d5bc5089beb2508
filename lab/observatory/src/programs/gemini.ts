import { type Launch, NOTES_FILE, type Place, PRINT_COMMAND, type ProgramWithDefault } from "../program.ts";

/** Gemini CLI: it asks on Gemini's wire and knows the window by the model's name. */
export const GEMINI: ProgramWithDefault = {
  name: "gemini",
  title: "Gemini CLI",
  packageName: "@google/gemini-cli",
  version: "0.61.0",
  licence: "Apache-2.0",
  entry: "@google/gemini-cli/bundle/gemini.js",
  runtime: "node",
  modelId: "gemini-2.5-pro",
  windows: { kind: "fixed", limits: { windowTokens: 1_048_576, outputTokens: null } },
  messages: "several",
  rulesFile: "GEMINI.md",
  kinds: [
    { kind: "classification", if: { form: "given" } },
    { kind: "summary", if: { tools: "none", place: "later" } },
  ],
  tools: (work) => [
    { use: "read", name: "read_file", arguments: { file_path: `${work}/${NOTES_FILE}` } },
    { name: "run_shell_command", arguments: { command: PRINT_COMMAND, description: "Prints lines" } },
  ],
  launch: (setup) => launchWith(setup, setup.modelId),
  asInstalled: (place) => launchWith(place, null),
};

function launchWith({ url, home, prompts }: Place, modelId: string | null): Launch {
  const model = modelId === null ? [] : ["-m", modelId];
  return {
    files: {
      [`${home}/.gemini/settings.json`]: JSON.stringify({
        general: {
          disableAutoUpdate: true,
          disableUpdateNag: true,
          enableAutoUpdate: false,
          enableAutoUpdateNotification: false,
        },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        // A terminal of its own loses some of a command's output when the machine is busy.
        tools: { shell: { enableInteractiveShell: false } },
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        ...(modelId === null ? {} : { model: { name: modelId } }),
      }),
    },
    env: { GEMINI_API_KEY: "simulated", GOOGLE_GEMINI_BASE_URL: url },
    // Continued from its own files, a session answers each call twice, which the wire refuses: several messages are said in one process.
    start:
      prompts.length > 1
        ? { talk: ["--acp", ...model, "--approval-mode", "yolo"] }
        : { commands: prompts.map((prompt) => [...model, "--approval-mode", "yolo", "-p", prompt]) },
  };
}
