import type { ModelClient } from "@plimsoll/core";
import type { Simulator } from "@plimsoll/simulator";
import { createAnthropicClient } from "../src/anthropic/client.ts";
import type { ClientOptions } from "../src/client/options.ts";
import { createOpenAiChatClient } from "../src/openai-chat/client.ts";
import { createOpenAiResponsesClient } from "../src/openai-responses/client.ts";

/** A client of a wire at a simulator's address. */
export type ClientOf = (at: Pick<Simulator, "url" | "openAiUrl">, options?: ClientOptions) => ModelClient;

/** Makes a client of each wire; the key is `key` unless the options give another environment. */
export const CLIENTS: Readonly<Record<"anthropic" | "openai-chat" | "openai-responses", ClientOf>> = {
  anthropic: ({ url }, options) => createAnthropicClient({ environment, ...options, baseUrl: url }),
  "openai-chat": ({ openAiUrl }, options) => createOpenAiChatClient({ environment, ...options, baseUrl: openAiUrl }),
  "openai-responses": ({ openAiUrl }, options) => createOpenAiResponsesClient({ environment, ...options, baseUrl: openAiUrl }),
};

const environment = { ANTHROPIC_API_KEY: "key", OPENAI_API_KEY: "key" };
