import process from "node:process";
import OpenAI from "openai";
import type { ClientOptions } from "./options.ts";
import { keyFrom, SDK_SETTINGS } from "./options.ts";

/**
 * The SDK of both OpenAI wires with its own retries and logs off, and the key that it was given.
 *
 * @throws PlimsollError `bad-input` if the key's variable is not set.
 */
export function openAiSdk(
  options: ClientOptions,
  host: { readonly baseUrl: string; readonly keyVariable: string | null },
): { readonly sdk: OpenAI; readonly key: string } {
  const key = keyFrom(options.environment ?? process.env, host.keyVariable);
  const baseURL = options.baseUrl ?? host.baseUrl;
  const sdk = new OpenAI({ ...SDK_SETTINGS, apiKey: key, baseURL, organization: null, project: null });
  return { sdk, key };
}
