import { findProvider } from "@pydantic/genai-prices";
import { expect, test } from "vitest";
import { isNamed, MAKERS } from "./known-names.ts";
import { contextWindowOf } from "./model-prices.ts";
import { catalogLimits, knownLimits, resolveModel } from "./resolve-model.ts";

const IDS = ["gpt-5.5", "gpt-6.2-sol", "gpt-5.1-codex-max", "gpt-4o-mini", "o4-mini", "claude-opus-5-5", "claude-haiku-4-5"];
const MORE_IDS = [
  "gemini-2.5-flash",
  "grok-4",
  "deepseek-chat",
  "llama-4-maverick",
  "mistral-large-latest",
  "kimi-k2.5",
  "glm-4.7",
];

/** The id with one letter twice, for each of its letters. */
const doubled = (id: string) => [...id].map((char, at) => id.slice(0, at) + char + id.slice(at));

const MISSPELT = ["gpt-5.", "gpt-5_5", "gpt-5.7", "gpt-5.5.5", "gpt-4o-mni", "o33", "claude-opus-55", "claude-opus-5-5-5"];
const MORE_MISSPELT = ["claude-sonet-5-5", "claude-opus-5-5-2026030", "gemini-25-pro", "gemini-2.5-flsh", "my-gpt-5.5"];

test.each([...MISSPELT, ...MORE_MISSPELT, ...[...IDS, ...MORE_IDS].flatMap(doubled)])(
  "no window is guessed for %s",
  async (reference) => {
    expect([catalogLimits(reference), contextWindowOf(reference)]).toEqual([null, null]);
    const { limits } = await resolveModel({ reference, unknownWindow: "off" });
    expect(limits).toMatchObject({ contextWindowTokens: null, maxOutputTokens: null });
  },
);

test.each([
  ["gpt-55", "gpt-5, gpt-5.5, "],
  ["gpt-5.55", "gpt-5.5, "],
  ["claude-sonet-5-5", "claude-sonnet-5-5, "],
  ["gpt-4oo", "gpt-4o, "],
])("an error names the models nearest to %s", (modelId, nearest) => {
  expect(() => knownLimits(modelId)).toThrow(`did you mean ${nearest}`);
});

const LISTED = [...MAKERS, "openrouter", "aws"].flatMap((providerId) =>
  (findProvider({ providerId })?.models ?? []).map(({ id }) => id).filter((id) => !/^ft:|ft-$/.test(id)),
);

test.each([
  ["as it is", (id: string) => id],
  ["behind a path", (id: string) => `projects/p/models/${id}`],
  ["of a region", (id: string) => `us-east.maker.${id}`],
  ["with a date", (id: string) => `${id.replace(/(?::|-v\d|-(?:\d\d-)?20\d\d).*$/, "")}-2026-03-01`],
  ["with a variant", (id: string) => `${id}[fast]`],
  ["with a router's tag", (id: string) => `${id.replace(/:.*$/, "")}:nitro`],
])("no listed id is taken for a misspelt one: %s", (_, write) => {
  expect(LISTED.length).toBeGreaterThan(900);
  expect(LISTED.filter((id) => !isNamed(write(id)))).toEqual([]);
});
