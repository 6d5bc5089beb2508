import type { Program } from "../program.ts";
import { NOTES_FILE, PRINT_COMMAND } from "../program.ts";

/** Codex: it asks on the Responses wire, and is told its window alone. */
export const CODEX: Program = {
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
  kinds: [{ kind: "summary", if: { tools: "none", place: "later" } }],
  tools: (work) => [
    { use: "read", name: "exec_command", arguments: { cmd: `cat ${work}/${NOTES_FILE}` } },
    { name: "exec_command", arguments: { cmd: PRINT_COMMAND, max_output_tokens: 20_000 } },
  ],
  launch: ({ url, home, work, modelId, windowTokens, prompts }) => ({
    files: {
      [`${home}/.codex/config.toml`]: [
        `model = "${modelId}"`,
        `model_provider = "simulated"`,
        `model_context_window = ${windowTokens}`,
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
  }),
};
