import process from "node:process";
import Anthropic from "@anthropic-ai/sdk";
import type { ModelClient } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/internal";
import { emptyReply } from "../client/failure.ts";
import { keyFrom } from "../client/key.ts";
import type { ClientOptions, WireDriver } from "../client/model-client.ts";
import { createModelClient } from "../client/model-client.ts";
import { checkSendable } from "../wire/check-sendable.ts";
import { loadImages } from "../wire/images.ts";
import type { AnthropicBody } from "./body.ts";
import type { CacheTimeToLive } from "./cache-breakpoints.ts";
import { decodeAnthropic } from "./decode.ts";
import { encodeAnthropic } from "./encode.ts";
import { createSentPrefixes } from "./sent-prefixes.ts";
import { decodeAnthropicStream } from "./stream.ts";
import { thinkingFor, withThinking } from "./thinking.ts";
import { ANTHROPIC_WIRE_RULES } from "./wire-rules.ts";

/** What an Anthropic client is made of. */
export interface AnthropicOptions extends ClientOptions {
  /** Name of the variable that holds the key; `ANTHROPIC_API_KEY` where it is left out, `null` for servers that want none. */
  readonly keyVariable?: string | null;
  /** Time to live of the prompt cache, five minutes where it is left out; `null` caches nothing. */
  readonly cacheTimeToLive?: CacheTimeToLive | null;
  /** Extended thinking, as the vendor's own parameter; it comes before the request's level of reasoning. */
  readonly thinking?: Anthropic.ThinkingConfigParam;
}

/** A request may take ten minutes until its answer begins: the SDK's own default, stated so that it also takes large replies. */
const TIMEOUT_MS = 600_000;

/** Longest name of a tool: platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools. */
const MAXIMUM_TOOL_NAME_CHARS = 128;

/**
 * A model on the Messages wire through the vendor's SDK, whose own retries and logs are off.
 *
 * @throws PlimsollError `bad-input` where the key's variable is not set.
 */
export function createAnthropicClient(options: AnthropicOptions = {}): ModelClient {
  const variable = options.keyVariable === undefined ? "ANTHROPIC_API_KEY" : options.keyVariable;
  const key = keyFrom(options.environment ?? process.env, variable);
  const sdk = new Anthropic({
    apiKey: key,
    authToken: null,
    maxRetries: 0,
    timeout: TIMEOUT_MS,
    logLevel: "off",
    baseURL: options.baseUrl ?? "https://api.anthropic.com",
  });
  const { cacheTimeToLive = "5m", thinking, loadImage = null } = options;
  const sentPrefixes = createSentPrefixes();
  const driver: WireDriver<AnthropicBody> = {
    source: { provider: "anthropic", key },
    maximumToolNameChars: MAXIMUM_TOOL_NAME_CHARS,
    encode: async (request) => {
      checkSendable(request.context.messages, ANTHROPIC_WIRE_RULES);
      const images = await loadImages(request.context, loadImage);
      const edit = sentPrefixes.placesOf(request.context.messages);
      const body = encodeAnthropic(request, { images, cacheTimeToLive, edit });
      return withThinking(body, thinking === undefined ? thinkingFor(request) : { thinking });
    },
    whole: async (body, signal) => {
      const message: unknown = await sdk.messages.create(body, { signal });
      if (!isRecord(message)) throw emptyReply();
      return decodeAnthropic(message);
    },
    streamed: async function* (body, signal) {
      yield* decodeAnthropicStream(await sdk.messages.create({ ...body, stream: true }, { signal }));
    },
  };
  return createModelClient(driver, options);
}
