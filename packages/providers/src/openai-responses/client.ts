import type { ModelClient } from "@plimsoll/core";
import { option } from "@plimsoll/core/extend";
import type OpenAI from "openai";
import { createModelClient } from "../client/model-client.ts";
import { CLIENT_KEYS, type ClientOptions, type Provider } from "../client/options.ts";
import { openAiSdk } from "../client/sdk.ts";
import { decodeCompacted, decodeOpenAiResponse, decodeOpenAiResponsesStream } from "./decode.ts";
import {
  compactRequest,
  encodeOpenAiResponses,
  MAXIMUM_TOOL_NAME_CHARS,
  OPENAI_RESPONSES_WIRE_RULES,
  type ResponsesBody,
} from "./encode.ts";

/** Options of a client of the Responses wire. */
export interface ResponsesOptions extends ClientOptions {
  /** Name of the variable that holds the key; `OPENAI_API_KEY` by default, `null` for servers that want none. */
  readonly keyVariable?: string | null;
  /** How much the model reasons, as the vendor's own parameter; it comes before the request's level of reasoning. */
  readonly reasoning?: OpenAI.Reasoning;
}

const BASE_URL = "https://api.openai.com/v1";

const OPTIONS = option.schema<ResponsesOptions>({
  ...CLIENT_KEYS,
  keyVariable: option.text.nullable().optional(),
  reasoning: option.object.optional(),
});

/**
 * Makes a client for the Responses wire through the vendor's SDK, whose own retries and logs are off.
 *
 * @throws PlimsollError `bad-input` if the key's variable is not set.
 */
export function createOpenAiResponsesClient(options: ResponsesOptions = {}): ModelClient {
  option.check("a client", OPTIONS, options);
  const { keyVariable = OPENAI.keyVariable, reasoning } = options;
  const { sdk, key } = openAiSdk(options, { baseUrl: BASE_URL, keyVariable });
  return createModelClient<ResponsesBody>(
    {
      source: { provider: "openai", key, address: options.baseUrl ?? BASE_URL },
      rules: OPENAI_RESPONSES_WIRE_RULES,
      maximumToolNameChars: MAXIMUM_TOOL_NAME_CHARS,
      encode: (request) => {
        const body = encodeOpenAiResponses(request);
        return reasoning === undefined ? body : { ...body, reasoning };
      },
      send: async (body, signal) => (await sdk()).responses.create(body, { signal }),
      stream: async (body, signal) => (await sdk()).responses.create({ ...body, stream: true }, { signal }),
      compact: async (body, signal) => decodeCompacted(await (await sdk()).responses.compact(compactRequest(body), { signal })),
      decode: decodeOpenAiResponse,
      decodeStream: decodeOpenAiResponsesStream,
    },
    options,
  );
}

/** The vendor's own server, by its name. */
export const OPENAI: Provider = { name: "openai", keyVariable: "OPENAI_API_KEY", createClient: createOpenAiResponsesClient };
