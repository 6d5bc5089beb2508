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

/** A server that speaks Chat Completions. `keyVariable` is `null` if none is asked for. */
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

/**
 * Known servers, from their own documentation, read in November 2026. DeepSeek and Moonshot want the reasoning of replies that call tools
 * sent back (api-docs.deepseek.com/guides/thinking_mode, platform.moonshot.ai/docs); Mistral takes call ids of nine characters (docs.mistral.ai)
 * and wants turns ("Unexpected role 'user' after role 'tool'", avante-corp/avante.nvim#2695); servers on this machine ask for no key.
 */
export const CHAT_HOSTS: readonly ChatHost[] = [
  OPENAI_HOST,
  {
    name: "openrouter",
    priceHost: "openrouter",
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariable: "OPENROUTER_API_KEY",
    quirks: { ...COMPATIBLE_QUIRKS, reasoningField: "reasoning", reasoningEffort: "send", files: "accept" },
  },
  {
    name: "deepseek",
    priceHost: "deepseek",
    baseUrl: "https://api.deepseek.com/v1",
    keyVariable: "DEEPSEEK_API_KEY",
    quirks: { ...COMPATIBLE_QUIRKS, reasoningSentBack: "with-calls", images: "describe", roles: "any" },
  },
  {
    name: "moonshot",
    priceHost: "moonshotai",
    baseUrl: "https://api.moonshot.ai/v1",
    keyVariable: "MOONSHOT_API_KEY",
    quirks: { ...COMPATIBLE_QUIRKS, reasoningSentBack: "with-calls", roles: "any" },
  },
  {
    name: "mistral",
    priceHost: "mistral",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariable: "MISTRAL_API_KEY",
    quirks: { ...COMPATIBLE_QUIRKS, streamUsage: "never-ask", callContent: "empty-string", maximumCallIdChars: 9 },
  },
  {
    name: "groq",
    priceHost: "groq",
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariable: "GROQ_API_KEY",
    quirks: { ...COMPATIBLE_QUIRKS, reasoningField: "reasoning", reasoningEffort: "send" },
  },
  {
    name: "xai",
    priceHost: "x-ai",
    baseUrl: "https://api.x.ai/v1",
    keyVariable: "XAI_API_KEY",
    quirks: { ...COMPATIBLE_QUIRKS, reasoningEffort: "send", roles: "any" },
  },
  {
    name: "together",
    priceHost: "together",
    baseUrl: "https://api.together.xyz/v1",
    keyVariable: "TOGETHER_API_KEY",
    quirks: COMPATIBLE_QUIRKS,
  },
  {
    name: "fireworks",
    priceHost: "fireworks",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keyVariable: "FIREWORKS_API_KEY",
    quirks: COMPATIBLE_QUIRKS,
  },
  {
    name: "cerebras",
    priceHost: "cerebras",
    baseUrl: "https://api.cerebras.ai/v1",
    keyVariable: "CEREBRAS_API_KEY",
    quirks: COMPATIBLE_QUIRKS,
  },
  {
    name: "google",
    priceHost: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyVariable: "GEMINI_API_KEY",
    quirks: { ...COMPATIBLE_QUIRKS, reasoningEffort: "send", roles: "any" },
  },
  { name: "ollama", priceHost: null, baseUrl: "http://127.0.0.1:11434/v1", keyVariable: null, quirks: COMPATIBLE_QUIRKS },
  { name: "llama.cpp", priceHost: null, baseUrl: "http://127.0.0.1:8080/v1", keyVariable: null, quirks: COMPATIBLE_QUIRKS },
  { name: "lm-studio", priceHost: null, baseUrl: "http://127.0.0.1:1234/v1", keyVariable: null, quirks: COMPATIBLE_QUIRKS },
  { name: "vllm", priceHost: null, baseUrl: "http://127.0.0.1:8000/v1", keyVariable: null, quirks: COMPATIBLE_QUIRKS },
];
