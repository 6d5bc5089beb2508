/** Lines that an agent's user exports, so that the agent asks the proxy. */
interface AgentLines {
  readonly agent: string;
  readonly lines: (url: string) => readonly string[];
}

const AGENTS: readonly AgentLines[] = [
  { agent: "Claude Code", lines: (url) => [`export ANTHROPIC_BASE_URL=${url}`] },
  {
    agent: "Codex (with an API key: a sign-in with ChatGPT is not served)",
    lines: (url) => [
      `codex -c model_provider=plimsoll -c 'model_providers.plimsoll={name="plimsoll",base_url="${url}/v1",wire_api="responses",env_key="OPENAI_API_KEY"}'`,
    ],
  },
  {
    agent: "Gemini CLI (with an API key: a sign-in with Google is not served)",
    lines: (url) => [`export GOOGLE_GEMINI_BASE_URL=${url}`],
  },
  { agent: "Qwen Code and others that take OpenAI's variables", lines: (url) => [`export OPENAI_BASE_URL=${url}/v1`] },
  { agent: "OpenCode: provider.NAME.options.baseURL in opencode.json", lines: (url) => [`${url}/v1`] },
  { agent: "pi: providers.NAME.baseUrl in models.json, Anthropic's without /v1", lines: (url) => [`${url}/v1`] },
];

/** Writes the settings that make each agent ask the proxy. */
export function exportLines(url: string): string {
  return AGENTS.map(({ agent, lines }) => [`# ${agent}`, ...lines(url)].join("\n")).join("\n");
}
