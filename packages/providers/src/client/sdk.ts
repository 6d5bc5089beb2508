import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import type OpenAI from "openai";
import { processEnvironment } from "./environment.ts";
import { type ClientOptions, keyFrom, SDK_SETTINGS } from "./options.ts";
import { refuseVersions } from "./supported.ts";

/**
 * A vendor's SDK that is loaded when it is first asked for, and once. Rejects with `bad-input`, saying what to install, if the package
 * is not there; the next call tries again.
 */
export function loadedOnce<Sdk>(packageName: string, load: () => Promise<Sdk>): () => Promise<Sdk> {
  let loaded: Promise<Sdk> | null = null;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = null;
      throw isMissing(error) ? notInstalled(packageName, error) : error;
    });
    return loaded;
  };
}

function isMissing(error: unknown): error is Error {
  return error instanceof Error && !isPlimsollError(error) && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
}

/** Node names what it looked for in quotation marks: the package, or something that the package itself needs. */
function notInstalled(packageName: string, cause: Error): PlimsollError {
  const remedy = `npm install ${packageName}`;
  const text = cause.message.includes(`'${packageName}'`)
    ? `the package ${packageName} is not installed: ${remedy}`
    : `the package ${packageName} is not whole (${cause.message}): ${remedy}`;
  return new PlimsollError("bad-input", text, {}, cause);
}

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
