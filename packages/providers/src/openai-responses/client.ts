import type { ModelClient } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/internal";
import type OpenAI from "openai";
import { emptyReply } from "../client/failure.ts";
import type { ClientOptions, WireDriver } from "../client/model-client.ts";
import { createModelClient } from "../client/model-client.ts";
import { openAiSdk } from "../openai/sdk.ts";
import { checkSendable } from "../wire/check-sendable.ts";
import { loadImages } from "../wire/images.ts";
import { decodeOpenAiResponse } from "./decode.ts";
import type { ResponsesBody } from "./encode.ts";
import { encodeOpenAiResponses } from "./encode.ts";
import { decodeOpenAiResponsesStream } from "./stream.ts";
import { OPENAI_RESPONSES_WIRE_RULES } from "./wire-rules.ts";

/** What a client of the Responses wire is made of. */
export interface ResponsesOptions extends ClientOptions {
  /** Name of the variable that holds the key; `OPENAI_API_KEY` where it is left out, `null` for servers that want none. */
  readonly keyVariable?: string | null;
  /** How much the model reasons, as the vendor's own parameter; it comes before the request's level of reasoning. */
  readonly reasoning?: OpenAI.Reasoning;
}

/** Longest name of a tool: platform.openai.com/docs/api-reference/responses/create. */
const MAXIMUM_TOOL_NAME_CHARS = 128;

/**
 * A model on the Responses wire through the vendor's SDK, whose own retries and logs are off.
 *
 * @throws PlimsollError `bad-input` where the key's variable is not set.
 */
export function createOpenAiResponsesClient(options: ResponsesOptions = {}): ModelClient {
  const keyVariable = options.keyVariable === undefined ? "OPENAI_API_KEY" : options.keyVariable;
  const { sdk, key } = openAiSdk(options, { baseUrl: "https://api.openai.com/v1", keyVariable });
  const driver: WireDriver<ResponsesBody> = {
    source: { provider: "openai", key },
    maximumToolNameChars: MAXIMUM_TOOL_NAME_CHARS,
    encode: async (request) => {
      checkSendable(request.context.messages, OPENAI_RESPONSES_WIRE_RULES);
      const body = encodeOpenAiResponses(request, await loadImages(request.context, options.loadImage ?? null));
      return options.reasoning === undefined ? body : { ...body, reasoning: options.reasoning };
    },
    whole: async (body, signal) => {
      const response: unknown = await sdk.responses.create(body, { signal });
      if (!isRecord(response)) throw emptyReply();
      return decodeOpenAiResponse(response);
    },
    streamed: async function* (body, signal) {
      yield* decodeOpenAiResponsesStream(await sdk.responses.create({ ...body, stream: true }, { signal }));
    },
  };
  return createModelClient(driver, options);
}
