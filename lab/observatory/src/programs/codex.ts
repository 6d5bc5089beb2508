import { type Launch, NOTES_FILE, type Place, PRINT_COMMAND, type ProgramWithDefault } from "../program.ts";

/** Codex: it asks on the Responses wire, and its settings state only its window. Its own models run JavaScript that calls its tools. */
export const CODEX: ProgramWithDefault = {
  name: "codex",
  title: "Codex",
  packageName: "@openai/codex",
  version: "0.169.0",
  licence: "Apache-2.0",
  entry: "@openai/codex/bin/codex.js",
  runtime: "node",
  modelId: "gpt-5.1-codex",
  windows: { kind: "any", tellsOutput: false },
  messages: "several",
  rulesFile: "AGENTS.md",
  // Its own models' tools are in the history, and stay there when a summary is asked for.
  kinds: [
    { kind: "summary", if: { tools: "none", place: "later" } },
    { kind: "summary", if: { tools: "same", newest: "other", previous: "result", place: "later" } },
  ],
  tools: (work) => [
    { use: "read", name: "exec_command", arguments: { cmd: `cat ${work}/${NOTES_FILE}` } },
    { use: "read", name: "exec", arguments: scriptOf(`cat ${work}/${NOTES_FILE}`) },
    { name: "exec_command", arguments: { cmd: PRINT_COMMAND, max_output_tokens: MOST_PRINTED_TOKENS } },
    { name: "exec", arguments: scriptOf(PRINT_COMMAND) },
  ],
  launch: (setup) => launchWith(setup, [`model = "${setup.modelId}"`, `model_context_window = ${setup.windowTokens}`]),
  asInstalled: (place) => launchWith(place, []),
};

/** More than a call is ever asked to print. */
const MOST_PRINTED_TOKENS = 20_000;

function scriptOf(cmd: string): string {
  const limits = { max_output_tokens: MOST_PRINTED_TOKENS };
  const call = JSON.stringify({ cmd, ...limits });
  return `// @exec: ${JSON.stringify(limits)}\nconst { output } = await tools.exec_command(${call});\ntext(output);`;
}

function launchWith({ url, home, work, prompts }: Place, model: readonly string[]): Launch {
  return {
    files: {
      [`${home}/.codex/config.toml`]: [
        ...model,
        `model_provider = "simulated"`,
        `check_for_update_on_startup = false`,
        `[model_providers.simulated]`,
        `name = "simulated"`,
        `base_url = "${url}/v1"`,
        `wire_api = "responses"`,
        `env_key = "OPENAI_API_KEY"`,
        `request_max_retries = 0`,
        `stream_max_retries = 0`,
        `[analytics]`,
        `enabled = false`,
        `[otel]`,
        `exporter = "none"`,
        "",
      ].join("\n"),
    },
    env: { CODEX_HOME: `${home}/.codex`, OPENAI_API_KEY: "simulated" },
    start: {
      commands: prompts.map((prompt, index) => [
        "exec",
        ...(index === 0 ? ["-C", work] : ["resume", "--last"]),
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        prompt,
      ]),
    },
  };
}
