import type { ModelClient } from "@plimsoll/core";
import { PlimsollError } from "@plimsoll/core";
import type { ModelReference } from "@plimsoll/providers";
import { createAnthropicClient } from "@plimsoll/providers/anthropic";
import { chatHostNamed, createOpenAiChatClient } from "@plimsoll/providers/openai-chat";
import { createOpenAiResponsesClient } from "@plimsoll/providers/openai-responses";

/** Where a model is asked. ANTHROPIC_BASE_URL and OPENAI_BASE_URL of the environment name another address, as for the vendors' SDKs. */
export interface ClientRequest {
  readonly reference: ModelReference;
  readonly environment: { readonly [name: string]: string | undefined };
}

/**
 * The client of the host that serves a model: the one that is named, else the maker's.
 *
 * @throws PlimsollError `bad-input` where no host is known, or its key is not set.
 */
export function clientFor({ reference: { host, modelId }, environment }: ClientRequest): ModelClient {
  const wanted = host ?? makerOf(modelId);
  if (wanted === "anthropic") return createAnthropicClient({ environment, ...at(environment.ANTHROPIC_BASE_URL) });
  if (wanted === "openai") return createOpenAiResponsesClient({ environment, ...at(environment.OPENAI_BASE_URL) });
  const known = wanted === null ? undefined : chatHostNamed(wanted === "gemini" ? "google" : wanted);
  if (known !== undefined) return createOpenAiChatClient({ host: known, environment });
  throw new PlimsollError("bad-input", `it is not known who serves "${modelId}": name the host, e.g. openrouter/${modelId}`, {
    modelId,
  });
}

function at(baseUrl: string | undefined): { readonly baseUrl?: string } {
  return baseUrl === undefined || baseUrl === "" ? {} : { baseUrl };
}

function makerOf(modelId: string): string | null {
  if (modelId.startsWith("claude")) return "anthropic";
  if (/^(gpt|o\d|codex|chatgpt)/.test(modelId)) return "openai";
  return modelId.startsWith("gemini") ? "google" : null;
}
