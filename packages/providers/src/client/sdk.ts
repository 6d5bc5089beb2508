import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import type OpenAI from "openai";
import { processEnvironment } from "./environment.ts";
import { type ClientOptions, keyFrom, SDK_SETTINGS } from "./options.ts";
import { refuseVersions } from "./supported.ts";

/**
 * A vendor's SDK that is loaded when it is first asked for, and once. Rejects with `bad-input`, naming the package to install, if the package is not
 * there; the next call tries again.
 */
export function loadedOnce<Sdk>(packageName: string, load: () => Promise<Sdk>): () => Promise<Sdk> {
  let loaded: Promise<Sdk> | null = null;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = null;
      const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
      throw isMissing && !isPlimsollError(error) ? notInstalled(packageName, error) : error;
    });
    return loaded;
  };
}

/** Node names the missing module in quotation marks: the package, or something that the package itself needs. */
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
  const lines: typeof fetch = async (input, init) => inWholeLines(await fetch(input, init));
  const settings = { ...SDK_SETTINGS, fetch: lines, apiKey: key, baseURL, organization: null, project: null };
  const sdk = loadedOnce("openai", async () => {
    const { default: Client } = await import("openai");
    refuseVersions("openai", [(await import("openai/version")).VERSION]);
    return new Client(settings);
  });
  return { sdk, key };
}

const LINE_END = 0x0a;

/** A streamed response in pieces that end a line: the SDK of OpenAI searches all of a line anew with each piece of it. Any other response as it is. */
export function inWholeLines(response: Response): Response {
  if (response.body === null || !/event-stream/.test(response.headers.get("content-type") ?? "")) return response;
  let held: Uint8Array<ArrayBuffer>[] = [];
  const give = async (out: TransformStreamDefaultController<Uint8Array>) => {
    const whole = new Blob(held);
    held = [];
    out.enqueue(new Uint8Array(await whole.arrayBuffer()));
  };
  const lines = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array>({
    transform: async (piece, out) => {
      held.push(piece);
      if (piece.includes(LINE_END)) await give(out);
    },
    flush: give,
  });
  return new Response(response.body.pipeThrough(lines), response);
}
