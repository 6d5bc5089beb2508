import type { ModelClient } from "@plimsoll/core";
import { PlimsollError } from "@plimsoll/core";
import type { ModelReference } from "@plimsoll/providers";
import { clientFor as clientOfHost, HOST_NAMES } from "@plimsoll/providers/clients";

/** Where a model is asked. */
export interface ClientRequest {
  readonly reference: ModelReference;
  readonly environment: { readonly [name: string]: string | undefined };
}

/**
 * The client of the host that serves a model: the one that is named, else the maker's. The environment's `<HOST>_BASE_URL` overrides the
 * host's own address.
 *
 * @throws PlimsollError `bad-input` where no host is known, or its key is not set.
 */
export function clientFor({ reference: { host, modelId }, environment }: ClientRequest): ModelClient {
  const wanted = host === "gemini" ? "google" : (host ?? makerOf(modelId));
  if (wanted !== null && HOST_NAMES.includes(wanted)) return clientOfHost(wanted, { environment });
  throw new PlimsollError("bad-input", `it is not known who serves "${modelId}": name the host, e.g. openrouter/${modelId}`, {
    modelId,
  });
}

function makerOf(modelId: string): string | null {
  if (modelId.startsWith("claude")) return "anthropic";
  if (/^(gpt|o\d|codex|chatgpt)/.test(modelId)) return "openai";
  return modelId.startsWith("gemini") ? "google" : null;
}
