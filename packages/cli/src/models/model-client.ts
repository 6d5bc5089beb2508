import type { ModelClient } from "@plimsoll/core";
import { PlimsollError } from "@plimsoll/core";
import type { ModelReference } from "@plimsoll/providers";
import { createAnthropicClient } from "@plimsoll/providers/anthropic";
import { chatHostNamed, createOpenAiChatClient } from "@plimsoll/providers/openai-chat";
import { createOpenAiResponsesClient } from "@plimsoll/providers/openai-responses";

/** Where a model is asked. `baseUrl` overrides the host's own. */
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
  if (wanted === "anthropic") return createAnthropicClient({ environment });
  if (wanted === "openai") return createOpenAiResponsesClient({ environment });
  const known = wanted === null ? undefined : chatHostNamed(wanted === "gemini" ? "google" : wanted);
  if (known !== undefined) return createOpenAiChatClient({ host: known, environment });
  throw new PlimsollError("bad-input", `it is not known who serves "${modelId}": name the host, e.g. openrouter/${modelId}`, {
    modelId,
  });
}

function makerOf(modelId: string): string | null {
  if (modelId.startsWith("claude")) return "anthropic";
  if (/^(gpt|o\d|codex|chatgpt)/.test(modelId)) return "openai";
  return modelId.startsWith("gemini") ? "google" : null;
}
