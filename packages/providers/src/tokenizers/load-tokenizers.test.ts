import { createDigest, createSession, SVEN_POLICY } from "@plimsoll/core";
import { encodingsOf } from "@plimsoll/core/extend";
import { expect, test } from "vitest";
import { createTokenizerLoader, loadTokenCounter } from "./token-counter.ts";

const policy = {
  ...SVEN_POLICY,
  estimator: { kind: "bpe", encoding: "o200k_base", perMessageTokens: 3 },
  cutEstimator: { kind: "bpe", encoding: "cl100k_base", perMessageTokens: 3 },
} as const;

const load = createTokenizerLoader();

test("gives what a policy counts by, and the same tokenizer to the next one", async () => {
  const tokenizers = await load(encodingsOf(policy));
  expect(Object.keys(tokenizers)).toEqual(["o200k_base", "cl100k_base"]);
  expect((await load(["o200k_base"])).o200k_base).toBe(tokenizers.o200k_base);
  expect(await load([])).toEqual({});
});

test("a name that is not bundled is an error that lists those that are", async () => {
  await expect(load(["o300k"])).rejects.toMatchObject({
    code: "bad-policy",
    message: 'unknown encoding "o300k": known: o200k_base, cl100k_base',
  });
});

test("an encoding whose package is not installed is an error that says what to install", async () => {
  const missing = loadTokenCounter("o200k_base", () => Promise.reject(new Error("Cannot find package")));
  await expect(missing).rejects.toMatchObject({
    code: "bad-input",
    message: "to count by o200k_base, install the package js-tiktoken: npm install js-tiktoken",
    details: { package: "js-tiktoken" },
  });
});

test.each([
  ["1 MB of one letter", "a".repeat(1_000_000)],
  ["200 KB of emoji", "😀".repeat(50_000)],
  ["unbroken script", "会".repeat(100_000)],
  ["special tokens", "<|endoftext|><|im_start|>".repeat(200)],
])("a policy that counts by it takes %s as text like any other", async (_, text) => {
  const session = createSession({ policy, summarizer: createDigest(), tokenizers: await load(encodingsOf(policy)) });
  const human = { role: "user", id: "h", origin: "human", parts: [{ type: "text", text }], atMs: null } as const;
  session.append({ type: "message", message: human });
  const { expectedTokens } = session.predict();
  expect(expectedTokens).toBeGreaterThan(text.length / 16);
  expect(expectedTokens).toBeLessThan(2 * text.length);
});
