import process from "node:process";
import OpenAI from "openai";
import { keyFrom } from "../client/key.ts";
import type { ClientOptions } from "../client/model-client.ts";

/** Ten minutes until an answer begins: the SDK's own default. */
const TIMEOUT_MS = 600_000;

/**
 * The vendor's SDK with its own retries and logs off, and the key that it was given.
 *
 * @throws PlimsollError `bad-input` where the key's variable is not set.
 */
export function openAiSdk(
  options: ClientOptions,
  host: { readonly baseUrl: string; readonly keyVariable: string | null },
): { readonly sdk: OpenAI; readonly key: string } {
  const key = keyFrom(options.environment ?? process.env, host.keyVariable);
  const sdk = new OpenAI({
    apiKey: key,
    baseURL: options.baseUrl ?? host.baseUrl,
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: TIMEOUT_MS,
    logLevel: "off",
  });
  return { sdk, key };
}
