import { type Launch, NOTES_FILE, type Place, PRINT_COMMAND, type ProgramWithDefault, type Setup } from "../program.ts";

/** Qwen Code: it asks on the Chat Completions wire. */
export const QWEN: ProgramWithDefault = {
  name: "qwen",
  title: "Qwen Code",
  packageName: "@qwen-code/qwen-code",
  version: "0.24.4",
  licence: "Apache-2.0",
  entry: "@qwen-code/qwen-code/cli.js",
  runtime: "node-22",
  modelId: "simulated-model",
  windows: { kind: "any", tellsOutput: true },
  messages: "several",
  rulesFile: "QWEN.md",
  kinds: [
    { kind: "classification", if: { form: "given" } },
    { kind: "summary", if: { newest: "other", tools: "same", place: "later" } },
    { kind: "summary", if: { tools: "none", place: "later" } },
  ],
  // Its shell answers when a command has ended, read or not: if another process of its own ends then, all that was printed is lost.
  outputs: "may be lost",
  tools: (work) => [
    { use: "read", name: "read_file", arguments: { file_path: `${work}/${NOTES_FILE}` } },
    { name: "run_shell_command", arguments: { command: PRINT_COMMAND, description: "Prints lines", is_background: false } },
  ],
  launch: (setup) => launchWith(setup, setup),
  asInstalled: (place) => launchWith(place, null),
};

function launchWith(
  { url, home, prompts }: Place,
  told: Pick<Setup, "modelId" | "windowTokens" | "outputTokens"> | null,
): Launch {
  const generationConfig =
    told === null
      ? { maxRetries: 0 }
      : { contextWindowSize: told.windowTokens, maxRetries: 0, samplingParams: { max_tokens: told.outputTokens } };
  return {
    files: {
      [`${home}/.qwen/settings.json`]: JSON.stringify({
        $version: 3,
        general: {
          disableAutoUpdate: true,
          disableUpdateNag: true,
          enableAutoUpdate: false,
          checkpointing: { enabled: false },
        },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        // A terminal of its own loses some of a command's output when the machine is busy, more often than pipes do.
        tools: { shell: { enableInteractiveShell: false } },
        security: { auth: { selectedType: "openai" } },
        model: { ...(told === null ? {} : { name: told.modelId }), generationConfig },
      }),
    },
    env: {
      OPENAI_API_KEY: "simulated",
      OPENAI_BASE_URL: `${url}/v1`,
      ...(told === null ? {} : { OPENAI_MODEL: told.modelId }),
    },
    start: { commands: prompts.map((prompt, index) => [...(index === 0 ? [] : ["--continue"]), "--yolo", "-p", prompt]) },
  };
}
