import type Anthropic from "@anthropic-ai/sdk";
import type { BoundReasoning } from "@plimsoll/core";
import { option } from "@plimsoll/core/extend";
import { z } from "zod";
import { isBoundReasoning } from "../catalog/bound-reasoning.ts";
import { sentModelId } from "../catalog/model-limits.ts";
import { createSdkSession } from "../session/create-session.ts";
import { type SdkSession, type SdkSessionOptions, SESSION_KEYS } from "../session/session.ts";
import { toolSpecsOf } from "../wire/tools.ts";
import { decodeAnthropic, decodeSummary } from "./decode.ts";
import type { AnthropicBody, CacheTimeToLive } from "./encode.ts";
import { ANTHROPIC_WIRE_RULES, createSentPrefixes, encodeAnthropic, MAXIMUM_TOOL_NAME_CHARS } from "./encode.ts";
import {
  BINDING_BETA,
  betaOptions,
  leastReplyOf,
  SUMMARY_BETA,
  summaryRequest,
  withDropping,
  withThinking,
} from "./thinking.ts";

/** Options of a session on Anthropic's Messages API. */
export interface AnthropicSessionOptions extends SdkSessionOptions {
  /** Parameters of each request in the vendor's own words: model, `max_tokens`, tools, thinking; without system text and messages. */
  readonly request: Omit<AnthropicBody, "messages" | "system">;
  /** Time to live of the prompt cache, five minutes by default; `null` caches nothing. */
  readonly cacheTimeToLive?: CacheTimeToLive | null;
  /**
   * The treatment of bound thinking after a change of the beginning: it leaves, or it stays and each request asks the vendor to drop it (send those with the session's
   * `requestOptions`). The log keeps the value, which is the default; at first "leaves".
   */
  readonly boundReasoning?: BoundReasoning;
  /**
   * Asks the vendor for a summary, for a policy whose writer is `vendor`: `(request, options) => client.messages.create(request, options)`. Then send all requests with
   * the session's `requestOptions`. Without it a digest replaces the summary.
   */
  readonly compact?: (request: AnthropicBody, options: ReturnType<typeof betaOptions>) => PromiseLike<unknown>;
}

type AnthropicAnswer = Pick<Anthropic.Message, "id" | "model" | "content"> & { readonly usage: object };

/** A request as `client.messages.create` and `client.messages.stream` take it, and the fields that a session reads from an answer. */
export interface AnthropicSession extends SdkSession<AnthropicBody, AnthropicAnswer> {
  /** Second argument of the SDK's call: the betas that "vendor-drops" and `compact` need; add your own. Empty otherwise. */
  readonly requestOptions: { readonly headers?: { readonly "anthropic-beta": string } };
}

const OPTIONS = option.schema<AnthropicSessionOptions>({
  ...SESSION_KEYS,
  cacheTimeToLive: z.enum(["5m", "1h"]).nullable().optional(),
  boundReasoning: z.enum(["leaves", "vendor-drops"]).optional(),
  compact: option.fn.optional(),
});

/**
 * Opens a session for a loop that calls the vendor's SDK itself. Requests hold the cache breakpoints.
 *
 * @throws PlimsollError `bad-input` for malformed tools, naming the place.
 */
export async function createAnthropicSession(given: AnthropicSessionOptions): Promise<AnthropicSession> {
  option.check("a session", OPTIONS, given);
  const { request, cacheTimeToLive = "5m", boundReasoning, compact, ...options } = given;
  const { thinking, tools = [], ...asked } = request;
  const parameters = { ...asked, model: sentModelId(request.model) };
  const sentPrefixes = createSentPrefixes();
  const binds = isBoundReasoning(null, request.model);
  const session: SdkSession<AnthropicBody, AnthropicAnswer> = await createSdkSession(
    {
      modelReference: `anthropic/${request.model}`,
      modelId: request.model,
      maxOutputTokens: request.max_tokens,
      leastOutputTokens: leastReplyOf(request),
      tools: toolSpecsOf(tools),
      rules: ANTHROPIC_WIRE_RULES,
      maximumToolNameChars: MAXIMUM_TOOL_NAME_CHARS,
      boundReasoning,
      encode: (asked, bound): AnthropicBody => {
        const edit = sentPrefixes.placesOf(asked.context.messages);
        const context = { ...asked.context, tools: [] };
        const body = encodeAnthropic({ ...asked, context }, { cacheTimeToLive, edit });
        const max_tokens = Math.min(parameters.max_tokens, asked.maxOutputTokens);
        const whole = { ...body, ...parameters, max_tokens, ...(tools.length === 0 ? {} : { tools }) };
        const thought = thinking === undefined ? whole : withThinking(whole, { thinking });
        return binds && bound === "vendor-drops" ? withDropping(thought) : thought;
      },
      decode: decodeAnthropic,
      compact: compact && (async (body) => decodeSummary(await compact(summaryRequest(body), requestOptions()))),
    },
    options,
  );
  const requestOptions = () => {
    const drops = binds && session.conversation.view().boundReasoning === "vendor-drops";
    return betaOptions([...(drops ? [BINDING_BETA] : []), ...(compact === undefined ? [] : [SUMMARY_BETA])]);
  };
  return Object.assign(session, { requestOptions: requestOptions() });
}
