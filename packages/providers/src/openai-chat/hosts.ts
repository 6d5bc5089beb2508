/** How a server that speaks Chat Completions differs from the vendor's own. */
export interface ChatQuirks {
  /** The role of system text. */
  readonly systemRole: "system" | "developer";
  /** The name of the reply's limit. */
  readonly outputLimit: "max_completion_tokens" | "max_tokens";
  /** Whether a stream has to be asked for usage, or asking is an error. */
  readonly streamUsage: "ask" | "never-ask";
  /** The content of a reply that has only calls. */
  readonly callContent: "null" | "empty-string";
  /** Where reasoning comes back in a reply. */
  readonly reasoningField: "reasoning_content" | "reasoning" | null;
  /** Whether the reasoning of replies that call tools is to be sent back. */
  readonly reasoningSentBack: "with-calls" | "never";
  /** Whether the level of reasoning is sent as `reasoning_effort`; other servers refuse the name. */
  readonly reasoningEffort: "send" | "leave-out";
  /** Whether roles may come in any order, or user and assistant take turns: the user first, none twice, the assistant after results. */
  readonly roles: "any" | "alternate";
  /** Longest call id; `null` for no limit. */
  readonly maximumCallIdChars: number | null;
  /** Whether images are taken, or replaced by a text. */
  readonly images: "accept" | "describe";
  /** Whether sound and documents are taken (`input_audio`, `file`), or replaced by a text. */
  readonly files: "accept" | "describe";
}

/** The vendor's own server. */
export const OPENAI_QUIRKS: ChatQuirks = {
  systemRole: "developer",
  outputLimit: "max_completion_tokens",
  streamUsage: "ask",
  callContent: "null",
  reasoningField: null,
  reasoningSentBack: "never",
  reasoningEffort: "send",
  roles: "any",
  maximumCallIdChars: 40,
  images: "accept",
  files: "accept",
};

/**
 * The quirks of most other servers: the older names, and turns. Many serve models whose chat templates refuse anything else (vllm-project/vllm#6862,
 * charmbracelet/crush#279).
 */
export const COMPATIBLE_QUIRKS: ChatQuirks = {
  ...OPENAI_QUIRKS,
  systemRole: "system",
  outputLimit: "max_tokens",
  reasoningField: "reasoning_content",
  reasoningEffort: "leave-out",
  roles: "alternate",
  files: "describe",
};

/** A server that speaks Chat Completions. `keyVariable` is `null` if it needs no key. */
export interface ChatHost {
  readonly name: string;
  /** The price package's name for the host; `null` for a server on this machine. */
  readonly priceHost: string | null;
  readonly baseUrl: string;
  readonly keyVariable: string | null;
  readonly quirks: ChatQuirks;
}

/** The vendor's own server. */
export const OPENAI_HOST: ChatHost = {
  name: "openai",
  priceHost: "openai",
  baseUrl: "https://api.openai.com/v1",
  keyVariable: "OPENAI_API_KEY",
  quirks: OPENAI_QUIRKS,
};

type HostRow = readonly [name: string, baseUrl: string, quirks?: Partial<ChatQuirks>];

/**
 * Known servers, from their own documentation, read in November 2026. DeepSeek and Moonshot want the reasoning of replies that call tools
 * sent back (api-docs.deepseek.com/guides/thinking_mode, platform.moonshot.ai/docs); Mistral takes call ids of nine characters (docs.mistral.ai)
 * and wants turns ("Unexpected role 'user' after role 'tool'", avante-corp/avante.nvim#2695).
 */
const SERVERS: readonly HostRow[] = [
  ["openrouter", "https://openrouter.ai/api/v1", { reasoningField: "reasoning", reasoningEffort: "send", files: "accept" }],
  ["deepseek", "https://api.deepseek.com/v1", { reasoningSentBack: "with-calls", images: "describe", roles: "any" }],
  ["moonshot", "https://api.moonshot.ai/v1", { reasoningSentBack: "with-calls", roles: "any" }],
  ["mistral", "https://api.mistral.ai/v1", { streamUsage: "never-ask", callContent: "empty-string", maximumCallIdChars: 9 }],
  ["groq", "https://api.groq.com/openai/v1", { reasoningField: "reasoning", reasoningEffort: "send" }],
  ["xai", "https://api.x.ai/v1", { reasoningEffort: "send", roles: "any" }],
  ["together", "https://api.together.xyz/v1"],
  ["fireworks", "https://api.fireworks.ai/inference/v1"],
  ["cerebras", "https://api.cerebras.ai/v1"],
  ["google", "https://generativelanguage.googleapis.com/v1beta/openai", { reasoningEffort: "send", roles: "any" }],
];

/** Servers on this machine ask for no key. */
const LOCAL_SERVERS: readonly HostRow[] = [
  ["ollama", "http://127.0.0.1:11434/v1"],
  ["llama.cpp", "http://127.0.0.1:8080/v1"],
  ["lm-studio", "http://127.0.0.1:1234/v1"],
  ["vllm", "http://127.0.0.1:8000/v1"],
];

/** Hosts that the price package names otherwise, and keys that are not named by the host. */
const PRICE_HOSTS: Readonly<Record<string, string>> = { moonshot: "moonshotai", xai: "x-ai" };
const KEY_VARIABLES: Readonly<Record<string, string>> = { google: "GEMINI_API_KEY" };

/** The servers that Plimsoll knows by name. */
export const CHAT_HOSTS: readonly ChatHost[] = [
  OPENAI_HOST,
  ...SERVERS.map(([name, baseUrl, more]): ChatHost => {
    const keyVariable = KEY_VARIABLES[name] ?? `${name.toUpperCase()}_API_KEY`;
    return { name, priceHost: PRICE_HOSTS[name] ?? name, baseUrl, keyVariable, quirks: { ...COMPATIBLE_QUIRKS, ...more } };
  }),
  ...LOCAL_SERVERS.map(
    ([name, baseUrl]): ChatHost => ({ name, priceHost: null, baseUrl, keyVariable: null, quirks: COMPATIBLE_QUIRKS }),
  ),
];
