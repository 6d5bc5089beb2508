import type OpenAI from "openai";
import { processEnvironment } from "./environment.ts";
import { type ClientOptions, keyFrom, SDK_SETTINGS } from "./options.ts";
import { loadedOnce } from "./sdk.ts";
import { refuseVersions } from "./supported.ts";

/**
 * The SDK of both OpenAI wires with its own retries and logs off, loaded with the first request, and the key that it is given.
 *
 * @throws PlimsollError `bad-input` if the key's variable is not set.
 */
export function openAiSdk(
  options: ClientOptions,
  host: { readonly baseUrl: string; readonly keyVariable: string | null },
): { readonly sdk: () => Promise<OpenAI>; readonly key: string } {
  const key = keyFrom(options.environment ?? processEnvironment(), host.keyVariable, options.baseUrl);
  const baseURL = options.baseUrl ?? host.baseUrl;
  const settings = { ...SDK_SETTINGS, apiKey: key, baseURL, organization: null, project: null };
  const sdk = loadedOnce("openai", async () => {
    const { default: Client } = await import("openai");
    refuseVersions("openai", [(await import("openai/version")).VERSION]);
    return new Client(settings);
  });
  return { sdk, key };
}
