import type Anthropic from "@anthropic-ai/sdk";
import { createSession } from "../session/create-session.ts";
import type { Session, SessionOptions } from "../session/session.ts";
import { toolSpecsOf } from "../wire/tools.ts";
import type { AnthropicBody } from "./blocks.ts";
import { ANTHROPIC_WIRE_RULES, MAXIMUM_TOOL_NAME_CHARS } from "./blocks.ts";
import type { CacheTimeToLive } from "./cache-breakpoints.ts";
import { createSentPrefixes } from "./cache-breakpoints.ts";
import { decodeAnthropic } from "./decode.ts";
import { encodeAnthropic } from "./encode.ts";
import { withThinking } from "./thinking.ts";

/** A session on the Messages wire. */
export interface AnthropicSessionOptions extends SessionOptions {
  /** What each request has in addition to system text and messages, in the vendor's own words: model, `max_tokens`, tools, thinking. */
  readonly request: Omit<AnthropicBody, "messages" | "system">;
  /** Time to live of the prompt cache, five minutes if it is left out; `null` caches nothing. */
  readonly cacheTimeToLive?: CacheTimeToLive | null;
}

/** A request as `client.messages.create` and `client.messages.stream` take it, and what of an answer is read. */
export type AnthropicSession = Session<
  AnthropicBody,
  Pick<Anthropic.Message, "id" | "model" | "content"> & { readonly usage: object }
>;

/**
 * Opens a session for a loop that calls the vendor's SDK itself. Requests hold the cache breakpoints.
 *
 * @throws PlimsollError `bad-input` for tools that are none, naming the place.
 */
export async function createAnthropicSession({
  request,
  cacheTimeToLive = "5m",
  ...options
}: AnthropicSessionOptions): Promise<AnthropicSession> {
  const { thinking, tools = [], ...parameters } = request;
  const sentPrefixes = createSentPrefixes();
  return await createSession(
    {
      modelReference: `anthropic/${request.model}`,
      modelId: request.model,
      maxOutputTokens: request.max_tokens,
      tools: toolSpecsOf(tools),
      rules: ANTHROPIC_WIRE_RULES,
      maximumToolNameChars: MAXIMUM_TOOL_NAME_CHARS,
      encode: (asked): AnthropicBody => {
        const edit = sentPrefixes.placesOf(asked.context.messages);
        const context = { ...asked.context, tools: [] };
        const body = encodeAnthropic({ ...asked, context }, { images: new Map(), cacheTimeToLive, edit });
        const whole = { ...body, ...parameters, ...(tools.length === 0 ? {} : { tools }) };
        return thinking === undefined ? whole : withThinking(whole, { thinking });
      },
      decode: decodeAnthropic,
    },
    options,
  );
}
