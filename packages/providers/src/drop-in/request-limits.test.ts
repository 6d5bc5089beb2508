import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { createChatCompactor } from "./openai-chat.ts";
import type { RequestFacts } from "./request.ts";

const LONG = "a line of a file\n".repeat(100);
const chat = [
  { role: "user" as const, content: "Read all files." },
  ...Array.from({ length: 40 }, (_, index) => [
    { role: "assistant" as const, content: `Step ${index}. ${LONG}` },
    { role: "user" as const, content: `Go on from ${index}.` },
  ]).flat(),
];

/** At least sixteen thousand tokens. */
const sizeOf = (sent: unknown) => JSON.stringify(sent).length / 4;

test.each<[string, RequestFacts, "whole" | "cut"]>([
  ["the options' limits", {}, "whole"],
  ["a smaller window of its own", { limits: { contextWindowTokens: 12_000, maxOutputTokens: 1_000 } }, "cut"],
  ["a reply that leaves less room", { maxOutputTokens: 20_000 }, "cut"],
  ["a model with a smaller window", { modelId: "small" }, "cut"],
  ["a model with a larger one", { modelId: "large" }, "whole"],
])("a request with %s is fitted to it: %s", async (_, facts, expected) => {
  const compactor = createChatCompactor({
    policy: PLIMSOLL_POLICY,
    model: "large",
    limitsOf: (modelId) => ({ contextWindowTokens: modelId === "small" ? 12_000 : 32_000, maxOutputTokens: 1_000 }),
  });
  const sent = await compactor.fit(chat, facts);
  expect(sizeOf(chat)).toBeGreaterThan(16_000);
  expect(sent.length === chat.length ? "whole" : "cut").toBe(expected);
  // The next request is fitted to its own limits again.
  expect(sizeOf(await compactor.fit(chat, { limits: { contextWindowTokens: 8_000, maxOutputTokens: 500 } }))).toBeLessThan(
    8_000,
  );
});
