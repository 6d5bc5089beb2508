import type { ModelClient } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/internal";
import { emptyReply } from "../client/failure.ts";
import type { ClientOptions, WireDriver } from "../client/model-client.ts";
import { createModelClient } from "../client/model-client.ts";
import { openAiSdk } from "../openai/sdk.ts";
import { checkSendable } from "../wire/check-sendable.ts";
import { loadImages } from "../wire/images.ts";
import { decodeOpenAiChat } from "./decode.ts";
import type { ChatBody } from "./encode.ts";
import { encodeOpenAiChat } from "./encode.ts";
import type { ChatHost } from "./hosts.ts";
import { OPENAI_HOST } from "./hosts.ts";
import { decodeOpenAiChatStream } from "./stream.ts";
import { OPENAI_CHAT_WIRE_RULES } from "./wire-rules.ts";

/** What a client of a Chat Completions server is made of. */
export interface ChatOptions extends ClientOptions {
  /** The server: one of `CHAT_HOSTS` or one described like them; the vendor's own where it is left out. */
  readonly host?: ChatHost;
}

/** Longest name of a tool: platform.openai.com/docs/api-reference/chat/create. */
const MAXIMUM_TOOL_NAME_CHARS = 64;

/**
 * A model on the Chat Completions wire through the vendor's SDK, whose own retries and logs are off.
 *
 * @throws PlimsollError `bad-input` where the key's variable is not set.
 */
export function createOpenAiChatClient(options: ChatOptions = {}): ModelClient {
  const host = options.host ?? OPENAI_HOST;
  const { quirks } = host;
  const { sdk, key } = openAiSdk(options, host);
  const driver: WireDriver<ChatBody> = {
    source: { provider: host.name, key },
    maximumToolNameChars: MAXIMUM_TOOL_NAME_CHARS,
    encode: async (request) => {
      checkSendable(request.context.messages, OPENAI_CHAT_WIRE_RULES);
      return encodeOpenAiChat(request, { quirks, images: await loadImages(request.context, options.loadImage ?? null) });
    },
    whole: async (body, signal) => {
      const completion: unknown = await sdk.chat.completions.create(body, { signal });
      if (!isRecord(completion)) throw emptyReply();
      return decodeOpenAiChat(completion);
    },
    streamed: async function* (body, signal) {
      const usage = quirks.streamUsage === "ask" ? { stream_options: { include_usage: true } } : {};
      yield* decodeOpenAiChatStream(await sdk.chat.completions.create({ ...body, ...usage, stream: true }, { signal }));
    },
  };
  return createModelClient(driver, options);
}
