import type { Message, ModelRequest } from "@plimsoll/core";
import { checkMessages } from "@plimsoll/core/extend";
import { arbitraryMessageSoup } from "@plimsoll/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeAnthropic } from "./anthropic/encode.ts";
import { encodeOpenAiChat } from "./openai-chat/encode.ts";
import { CHAT_HOSTS } from "./openai-chat/hosts.ts";
import { encodeOpenAiResponses } from "./openai-responses/encode.ts";

const validMessages = arbitraryMessageSoup.filter((messages) =>
  checkMessages(messages).every(({ code }) => code === "last-is-assistant"),
);

const asked = (messages: readonly Message[]): ModelRequest => ({
  context: { system: "Be brief.", tools: [], messages, dynamicContext: null },
  modelId: "a-model",
  maxOutputTokens: 100,
});

type Encode = (messages: readonly Message[]) => readonly unknown[];

const anthropic: Encode = (messages) => encodeAnthropic(asked(messages), { cacheTimeToLive: "5m" }).messages;
const responses: Encode = (messages) => encodeOpenAiResponses(asked(messages)).input;

/** An item as it is sent, without its mark for the cache. */
const bytes = (item: unknown) => JSON.stringify(item, (key, value) => (key === "cache_control" ? undefined : value));

const ENCODES: readonly (readonly [string, Encode])[] = [
  ["anthropic", anthropic],
  ["openai-responses", responses],
  ...CHAT_HOSTS.filter(({ name }) => name === "openai" || name === "mistral" || name === "deepseek").map(
    ({ name, quirks }): [string, Encode] => [
      `openai-chat, ${name}`,
      (messages) => encodeOpenAiChat(asked(messages), quirks).messages,
    ],
  ),
];

// One test for all wires: few sessions of chance are valid, so finding them takes longest.
test("what was sent before a reply is what every later request begins with, on each wire", () => {
  fc.assert(
    fc.property(validMessages, (messages) => {
      const requests = messages.flatMap(({ role }, index) =>
        role === "assistant" && index > 0 && messages[index - 1]?.role !== "assistant" ? [messages.slice(0, index)] : [],
      );
      for (const [wire, encode] of ENCODES) {
        const whole = encode(messages).map(bytes);
        for (const request of requests) {
          const sent = encode(request).map(bytes);
          expect(whole.slice(0, sent.length), wire).toEqual(sent);
        }
      }
    }),
    { seed: 7, numRuns: 60 },
  );
});
