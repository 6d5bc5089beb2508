import type { ModelClient } from "@plimsoll/core";
import { option } from "@plimsoll/core/extend";
import { createModelClient } from "../client/model-client.ts";
import { CLIENT_KEYS, type ClientOptions, type Provider } from "../client/options.ts";
import { openAiSdk } from "../client/sdk.ts";
import { decodeOpenAiChat, decodeOpenAiChatStream } from "./decode.ts";
import { type ChatBody, encodeOpenAiChat, MAXIMUM_TOOL_NAME_CHARS, OPENAI_CHAT_WIRE_RULES } from "./encode.ts";
import { CHAT_HOSTS, type ChatHost, OPENAI_HOST } from "./hosts.ts";

/** Options of a client of a Chat Completions server. */
export interface ChatOptions extends ClientOptions {
  /** The server: one of `CHAT_HOSTS` or one described like them; the vendor's own by default. */
  readonly host?: ChatHost;
}

const OPTIONS = option.schema<ChatOptions>({
  ...CLIENT_KEYS,
  host: option.object.optional(),
});

/**
 * Makes a client for the Chat Completions wire through the vendor's SDK, whose own retries and logs are off.
 *
 * @throws PlimsollError `bad-input` if the key's variable is not set.
 */
export function createOpenAiChatClient(options: ChatOptions = {}): ModelClient {
  option.check("a client", OPTIONS, options);
  const host = options.host ?? OPENAI_HOST;
  const { quirks } = host;
  const { sdk, key } = openAiSdk(options, host);
  const usage = quirks.streamUsage === "ask" ? { stream_options: { include_usage: true } } : {};
  return createModelClient<ChatBody>(
    {
      source: { provider: host.name, key, address: options.baseUrl ?? host.baseUrl },
      rules: OPENAI_CHAT_WIRE_RULES,
      maximumToolNameChars: MAXIMUM_TOOL_NAME_CHARS,
      encode: (request) => encodeOpenAiChat(request, quirks),
      send: async (body, signal) => (await sdk()).chat.completions.create(body, { signal }),
      stream: async (body, signal) => (await sdk()).chat.completions.create({ ...body, ...usage, stream: true }, { signal }),
      decode: decodeOpenAiChat,
      decodeStream: decodeOpenAiChatStream,
    },
    options,
  );
}

/** The servers of this wire, by their names. */
export const CHAT_PROVIDERS: readonly Provider[] = CHAT_HOSTS.map((host) => ({
  name: host.name,
  keyVariable: host.keyVariable,
  createClient: (options) => createOpenAiChatClient({ ...options, host }),
}));
