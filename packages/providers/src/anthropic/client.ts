import type Anthropic from "@anthropic-ai/sdk";
import type { BoundReasoning, ModelClient } from "@plimsoll/core";
import { option } from "@plimsoll/core/extend";
import { z } from "zod";
import { isBoundReasoning } from "../catalog/bound-reasoning.ts";
import { processEnvironment } from "../client/environment.ts";
import { createModelClient } from "../client/model-client.ts";
import { CLIENT_KEYS, type ClientOptions, keyFrom, type Provider, SDK_SETTINGS } from "../client/options.ts";
import { loadedOnce } from "../client/sdk.ts";
import { refuseVersions } from "../client/supported.ts";
import { decodeAnthropic, decodeAnthropicStream, decodeSummary } from "./decode.ts";
import type { AnthropicBody, CacheTimeToLive } from "./encode.ts";
import {
  ANTHROPIC_WIRE_RULES,
  createSentPrefixes,
  encodeAnthropic,
  isSummaryBlock,
  MAXIMUM_TOOL_NAME_CHARS,
} from "./encode.ts";
import {
  BINDING_BETA,
  betaOptions,
  SUMMARY_BETA,
  summaryRequest,
  thinkingFor,
  withDropping,
  withThinking,
} from "./thinking.ts";

/** Options of an Anthropic client. */
export interface AnthropicOptions extends ClientOptions {
  /** Name of the variable that holds the key; `ANTHROPIC_API_KEY` by default, `null` for servers that want none. */
  readonly keyVariable?: string | null;
  /** Time to live of the prompt cache, five minutes by default; `null` caches nothing. */
  readonly cacheTimeToLive?: CacheTimeToLive | null;
  /** Extended thinking, as the vendor's own parameter; it comes before the request's level of reasoning. */
  readonly thinking?: Anthropic.ThinkingConfigParam;
  /**
   * Where thinking goes that the model binds to a beginning which changes: it leaves with the change, if this is left out, or stays and each request asks the
   * vendor to drop it. An agent keeps the choice with its log.
   */
  readonly boundReasoning?: BoundReasoning;
}

const OPTIONS = option.schema<AnthropicOptions>({
  ...CLIENT_KEYS,
  keyVariable: option.text.nullable().optional(),
  cacheTimeToLive: z.enum(["5m", "1h"]).nullable().optional(),
  thinking: option.object.optional(),
  boundReasoning: z.enum(["leaves", "vendor-drops"]).optional(),
});

/**
 * Makes a client for the Messages wire through the vendor's SDK, whose own retries and logs are off.
 *
 * @throws PlimsollError `bad-input` if the key's variable is not set.
 */
export function createAnthropicClient(options: AnthropicOptions = {}): ModelClient {
  option.check("a client", OPTIONS, options);
  const { keyVariable = ANTHROPIC.keyVariable, cacheTimeToLive = "5m", thinking, boundReasoning } = options;
  const key = keyFrom(options.environment ?? processEnvironment(), keyVariable, options.baseUrl);
  const baseURL = options.baseUrl ?? "https://api.anthropic.com";
  const settings = { ...SDK_SETTINGS, apiKey: key, authToken: null, baseURL };
  const sdk = loadedOnce("@anthropic-ai/sdk", async () => {
    const { default: Client } = await import("@anthropic-ai/sdk");
    refuseVersions("@anthropic-ai/sdk", [(await import("@anthropic-ai/sdk/version")).VERSION]);
    return new Client(settings);
  });
  const sentPrefixes = createSentPrefixes();
  const drops = ({ model }: AnthropicBody) => boundReasoning === "vendor-drops" && isBoundReasoning(null, model);
  const optionsOf = (body: AnthropicBody, isSummary = isSummaryBlock(body.messages[0]?.content[0])) =>
    betaOptions([...(drops(body) ? [BINDING_BETA] : []), ...(isSummary ? [SUMMARY_BETA] : [])]);
  const client = createModelClient<AnthropicBody>(
    {
      source: { provider: "anthropic", key, address: baseURL },
      rules: ANTHROPIC_WIRE_RULES,
      maximumToolNameChars: MAXIMUM_TOOL_NAME_CHARS,
      encode: (request) => {
        const edit = sentPrefixes.placesOf(request.context.messages);
        const body = encodeAnthropic(request, { cacheTimeToLive, edit });
        const thought = withThinking(body, thinking === undefined ? thinkingFor(request) : { thinking });
        return drops(thought) ? withDropping(thought) : thought;
      },
      send: async (body, signal) => (await sdk()).messages.create(body, { signal, ...optionsOf(body) }),
      stream: async (body, signal) => (await sdk()).messages.create({ ...body, stream: true }, { signal, ...optionsOf(body) }),
      compact: async (body, signal) =>
        decodeSummary(await (await sdk()).messages.create(summaryRequest(body), { signal, ...optionsOf(body, true) })),
      decode: decodeAnthropic,
      decodeStream: decodeAnthropicStream,
    },
    options,
  );
  return boundReasoning === undefined ? client : { ...client, boundReasoning };
}

/** The vendor's own server, by its name. */
export const ANTHROPIC: Provider = { name: "anthropic", keyVariable: "ANTHROPIC_API_KEY", createClient: createAnthropicClient };
