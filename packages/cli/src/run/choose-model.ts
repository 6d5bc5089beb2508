import type { AgentModel } from "@plimsoll/agent";
import { type ModelClient, type ModelLimits, PlimsollError } from "@plimsoll/core";
import type { ModelPrices } from "@plimsoll/providers";
import {
  baseUrlVariable,
  clientFor,
  describeWindow,
  HOST_NAMES,
  parseModelReference,
  probeServer,
  resolveModel,
} from "@plimsoll/providers";
import { CHAT_HOSTS } from "@plimsoll/providers/openai-chat";
import type { EffectiveConfig } from "../config/settings.ts";

/** A model that a session can go on with. */
export interface ChosenModel {
  readonly model: AgentModel;
  /** Its prices at its host, at a time in milliseconds since 1970; `null` if unknown. */
  readonly pricesAt: (atMs: number | null) => ModelPrices | null;
  /** The window and where its size comes from, in one line. */
  readonly windowLine: string;
}

/** The sources that a model is chosen from. */
export interface ModelChoice {
  readonly config: EffectiveConfig;
  readonly environment: { readonly [name: string]: string | undefined };
}

/** How long a server may take to give its window; chosen: one that is there answers at once. */
const PROBE_TIMEOUT_MS = 3_000;

/** The model by its reference: its client, limits, prices. A server is asked for the window only if nothing else knows it. */
export async function chooseModel(reference: string, { config, environment }: ModelChoice): Promise<ChosenModel> {
  const { context_window, max_output_tokens } = config.settings;
  const parsed = parseModelReference(reference);
  const client = clientOf(parsed, environment);
  const resolved = await resolveModel({
    reference,
    config: { contextWindowTokens: context_window?.value ?? null, maxOutputTokens: max_output_tokens?.value ?? null },
    unknownWindow: config.policy.value.unknownWindow,
    ...probeOf(parsed.host, environment),
  });
  const fromConfig =
    context_window === undefined ? null : `context window ${context_window.value} tokens (${context_window.source})`;
  return {
    model: { client, modelId: resolved.modelId, limits: limitsWithin(resolved) },
    pricesAt: resolved.pricesAt,
    windowLine: fromConfig ?? describeWindow(resolved),
  };
}

/** Most of a window that a person set which goes to a reply whose length they did not set; chosen, so that small windows have room for a prompt. */
const REPLY_RATIO = 1 / 4;

/** The limits, with the reply that is known of the model lowered to the window that the person set. */
function limitsWithin({ limits, contextWindow, maxOutput }: Awaited<ReturnType<typeof resolveModel>>): ModelLimits {
  const { contextWindowTokens, maxOutputTokens } = limits;
  if (contextWindow.source !== "config" || maxOutput.source === "config") return limits;
  if (contextWindowTokens === null || maxOutputTokens === null) return limits;
  return { contextWindowTokens, maxOutputTokens: Math.min(maxOutputTokens, Math.floor(contextWindowTokens * REPLY_RATIO)) };
}

/** Asks a server that speaks Chat Completions; the others are in the catalogue. */
function probeOf(
  host: string | null,
  environment: ModelChoice["environment"],
): { readonly probe?: (modelId: string) => ReturnType<typeof probeServer> } {
  const known = CHAT_HOSTS.find(({ name }) => name === (host === "gemini" ? "google" : host));
  if (known === undefined) return {};
  const baseUrl = environment[baseUrlVariable(known.name)] ?? known.baseUrl;
  const key = known.keyVariable === null ? undefined : environment[known.keyVariable];
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const getJson = async (url: string, signal: AbortSignal): Promise<unknown> => (await fetch(url, { headers, signal })).json();
  return {
    probe: (modelId) =>
      // Rejects only when the time is up: a missing server gives nothing.
      probeServer(baseUrl, modelId, { getJson, signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).catch(() => null),
  };
}

/**
 * The client of the host that serves a model: the one that is named, else the maker's. The environment's `<HOST>_BASE_URL` overrides the
 * host's own address.
 *
 * @throws PlimsollError `bad-input` if no host is known, or its key is not set.
 */
function clientOf(
  { host, modelId }: ReturnType<typeof parseModelReference>,
  environment: ModelChoice["environment"],
): ModelClient {
  const wanted = host === "gemini" ? "google" : (host ?? makerOf(modelId));
  if (wanted !== null && HOST_NAMES.includes(wanted)) return clientFor(wanted, { environment });
  throw new PlimsollError("bad-input", `no provider is known for "${modelId}": name the host, e.g. openrouter/${modelId}`, {
    modelId,
  });
}

function makerOf(modelId: string): string | null {
  if (modelId.startsWith("claude")) return "anthropic";
  if (/^(gpt|o\d|codex|chatgpt)/.test(modelId)) return "openai";
  return modelId.startsWith("gemini") ? "google" : null;
}
