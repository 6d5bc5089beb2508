import type { ChatQuirks } from "./quirks.ts";
import { COMPATIBLE_QUIRKS, OPENAI_QUIRKS } from "./quirks.ts";

/** A server that speaks Chat Completions. `keyVariable` is `null` where none is asked for. */
export interface ChatHost {
  readonly name: string;
  readonly baseUrl: string;
  readonly keyVariable: string | null;
  readonly quirks: ChatQuirks;
}

/** The vendor's own server. */
export const OPENAI_HOST: ChatHost = {
  name: "openai",
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
    baseUrl: "https://openrouter.ai/api/v1",
    keyVariable: "OPENROUTER_API_KEY",
    quirks: { ...COMPATIBLE_QUIRKS, reasoningField: "reasoning", reasoningEffort: "send" },
  },
  {
    name: "deepseek",
    baseUrl: "https://api.deepseek.com/v1",
    keyVariable: "DEEPSEEK_API_KEY",
    quirks: { ...COMPATIBLE_QUIRKS, reasoningSentBack: "with-calls", images: "describe", roles: "any" },
  },
  {
    name: "moonshot",
    baseUrl: "https://api.moonshot.ai/v1",
    keyVariable: "MOONSHOT_API_KEY",
    quirks: { ...COMPATIBLE_QUIRKS, reasoningSentBack: "with-calls", roles: "any" },
  },
  {
    name: "mistral",
    baseUrl: "https://api.mistral.ai/v1",
    keyVariable: "MISTRAL_API_KEY",
    quirks: {
      ...COMPATIBLE_QUIRKS,
      streamUsage: "never-ask",
      callContent: "empty-string",
      maximumCallIdChars: 9,
    },
  },
  {
    name: "groq",
    baseUrl: "https://api.groq.com/openai/v1",
    keyVariable: "GROQ_API_KEY",
    quirks: { ...COMPATIBLE_QUIRKS, reasoningField: "reasoning", reasoningEffort: "send" },
  },
  {
    name: "xai",
    baseUrl: "https://api.x.ai/v1",
    keyVariable: "XAI_API_KEY",
    quirks: { ...COMPATIBLE_QUIRKS, reasoningEffort: "send", roles: "any" },
  },
  { name: "together", baseUrl: "https://api.together.xyz/v1", keyVariable: "TOGETHER_API_KEY", quirks: COMPATIBLE_QUIRKS },
  {
    name: "fireworks",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    keyVariable: "FIREWORKS_API_KEY",
    quirks: COMPATIBLE_QUIRKS,
  },
  { name: "cerebras", baseUrl: "https://api.cerebras.ai/v1", keyVariable: "CEREBRAS_API_KEY", quirks: COMPATIBLE_QUIRKS },
  {
    name: "google",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyVariable: "GEMINI_API_KEY",
    quirks: { ...COMPATIBLE_QUIRKS, reasoningEffort: "send", roles: "any" },
  },
  { name: "ollama", baseUrl: "http://127.0.0.1:11434/v1", keyVariable: null, quirks: COMPATIBLE_QUIRKS },
  { name: "llama.cpp", baseUrl: "http://127.0.0.1:8080/v1", keyVariable: null, quirks: COMPATIBLE_QUIRKS },
  { name: "lm-studio", baseUrl: "http://127.0.0.1:1234/v1", keyVariable: null, quirks: COMPATIBLE_QUIRKS },
  { name: "vllm", baseUrl: "http://127.0.0.1:8000/v1", keyVariable: null, quirks: COMPATIBLE_QUIRKS },
];

/** The host of that name, or `undefined`. */
export function chatHostNamed(name: string): ChatHost | undefined {
  return CHAT_HOSTS.find((host) => host.name === name);
}
