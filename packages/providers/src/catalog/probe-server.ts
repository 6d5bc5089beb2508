import { option } from "@plimsoll/core/extend";
import { z } from "zod";
import { type Fields, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";

/** Gets a JSON document; rejects or gives anything if there is none. It carries the key if one is needed. */
export type GetJson = (url: string, signal: AbortSignal) => Promise<unknown>;

/** Limits that a server reports for a model; `null` if it reports none. */
export interface ProbedLimits {
  readonly contextWindowTokens: number | null;
  readonly maxOutputTokens: number | null;
  /** The address that gave it. */
  readonly url: string;
}

/** Names under which servers give a model's window: vLLM, OpenRouter and Together, Groq, Mistral, Anthropic, LM Studio. */
const WINDOW_KEYS = [
  "max_model_len",
  "context_length",
  "context_window",
  "max_context_length",
  "max_input_tokens",
  "loaded_context_length",
] as const;

/** Names under which they give its largest reply: Groq and OpenRouter, Anthropic. */
const OUTPUT_KEYS = ["max_completion_tokens", "max_output_tokens", "max_tokens"] as const;

const PLACE = z.strictObject({ baseUrl: option.text, modelId: option.text });
const ASKING = z.strictObject({ getJson: option.fn, signal: option.object });

/**
 * Asks a server for a model's window: llama.cpp's `/props`, which gives the window that it runs with, then `/v1/models`. `baseUrl` ends in `/v1`, as
 * SDKs take it. `null` if the server reports none or cannot be reached.
 */
export async function probeServer(
  baseUrl: string,
  modelId: string,
  asked: { readonly getJson: GetJson; readonly signal: AbortSignal },
): Promise<ProbedLimits | null> {
  option.check("a server", PLACE, { baseUrl, modelId });
  option.check("a server", ASKING, asked);
  const { getJson, signal } = asked;
  const root = baseUrl.endsWith("/v1") ? baseUrl.slice(0, -"/v1".length) : baseUrl;
  const ask = (url: string) =>
    getJson(url, signal).catch(() => {
      // A server without this address gives nothing; that is an answer.
      signal.throwIfAborted();
      return null;
    });
  const propsUrl = `${root}/props`;
  const runningTokens = numberAt(recordAt(await ask(propsUrl), "default_generation_settings"), "n_ctx");
  if (runningTokens !== null && runningTokens > 0)
    return { contextWindowTokens: runningTokens, maxOutputTokens: null, url: propsUrl };
  const modelsUrl = `${root}/v1/models`;
  const model = recordsAt(await ask(modelsUrl), "data").find((each) => stringAt(each, "id") === modelId);
  if (model === undefined) return null;
  const contextWindowTokens = firstNumber(model, WINDOW_KEYS) ?? numberAt(recordAt(model, "meta"), "n_ctx_train");
  const maxOutputTokens = firstNumber(model, OUTPUT_KEYS) ?? firstNumber(recordAt(model, "top_provider"), OUTPUT_KEYS);
  return contextWindowTokens === null && maxOutputTokens === null
    ? null
    : { contextWindowTokens, maxOutputTokens, url: modelsUrl };
}

function firstNumber(fields: Fields | null, keys: readonly string[]): number | null {
  return keys.map((key) => numberAt(fields, key)).find((value) => value !== null && value > 0) ?? null;
}
