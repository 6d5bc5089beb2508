import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { DROP_INS } from "../../testing/array-drop-ins.ts";
import type { ContractTurn } from "../testing/index.ts";
import { createChatCompactor } from "./openai-chat.ts";
import type { RequestFacts } from "./request.ts";

const LONG = "a line of a file\n".repeat(100);
const STEPS = 130;

/** A session of one human message and so many calls. */
function turnsOf(count: number): readonly ContractTurn[] {
  const calls = Array.from({ length: count }, (_, index): ContractTurn => {
    return { kind: "step", callId: `call_${index}`, path: `${index}.ts`, said: `Step ${index}.`, result: `${index}\n${LONG}` };
  });
  return [{ kind: "human", before: null, text: "Read all files." }, ...calls];
}

const overflow = (words: string) => Object.assign(new Error(`400 ${words}`), { status: 400 });

/** Refusals of providers that take a given number of characters, in the words of each. */
const REFUSALS: readonly (readonly [string, string, number])[] = [
  ["names its limit", "This model's maximum context length is 20000 tokens. Please reduce the length of the messages.", 1],
  ["names nothing", "Your input exceeds the context window of this model.", 8],
];
const LIMIT_CHARS = 72_000;

test.each(DROP_INS.flatMap(({ name, open }) => REFUSALS.map((refusal) => [name, ...refusal, open] as const)))(
  "%s: a provider that %s refuses few requests of a long session",
  async (_, _how, words, atMost, open) => {
    const dropIn = open({
      policy: PLIMSOLL_POLICY,
      limits: { contextWindowTokens: 200_000, maxOutputTokens: 1_000 },
      nowMs: () => 0,
    });
    let refused = 0;
    const all = turnsOf(STEPS);
    for (let count = 1; count <= STEPS; count++) {
      await dropIn.send({
        turns: all.slice(0, count + 1),
        provider: (sent) => {
          if (sent.length <= LIMIT_CHARS) return Promise.resolve(Math.ceil(sent.length / 4));
          refused += 1;
          return Promise.reject(overflow(words));
        },
      });
    }
    await dropIn.close();
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(atMost);
  },
);

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
