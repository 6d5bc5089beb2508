import type { ReasoningPart } from "@plimsoll/core";
import { expect, test } from "vitest";
import { isBoundReasoning } from "./bound-reasoning.ts";
import { familyLimitsOf } from "./model-limits.ts";
import { MODEL_CATALOG } from "./model-prices.ts";

const reasoning = (opaque: ReasoningPart["opaque"]): ReasoningPart => ({ type: "reasoning", text: "because", opaque });
const signed = reasoning({ type: "thinking", signature: "sealed" });
const unsigned = reasoning(null);

test.each([
  ["claude-fable-5-2", "bound"],
  ["claude-fable-5-1-20260901", "bound"],
  ["us.anthropic.claude-opus-5-5-20261001-v1:0", "bound"],
  ["anthropic/claude-sonnet-5.5", "bound"],
  ["claude-mythos-5-2", "bound"],
  ["claude-haiku-5-5", "bound"],
  ["claude-opus-5", "free"],
  ["claude-fable-5", "free"],
  ["claude-opus-4-5-20251101", "free"],
  ["claude-3-7-sonnet-latest", "free"],
  ["gpt-6.2-sol", "bound"],
  ["openai/gpt-6.2-astra", "bound"],
  ["gpt-5.6-sol", "free"],
  ["o4-mini", "free"],
  ["deepseek-reasoner", "free"],
  ["kimi-k2-thinking", "free"],
  ["gemini-3-pro-preview", "free"],
  ["my-deployment", "free"],
  ["anthropic/claude-opus-5:thinking", "free"],
  ["claude-opus-5@default", "free"],
  ["claude-opus-5-5@default", "bound"],
  ["anthropic/claude-fable-5.2:thinking", "bound"],
  ["claude-fable-5-2[1m]", "bound"],
  ["databricks-claude-opus-5-5", "bound"],
  ["databricks-claude-opus-5", "free"],
  ["gpt-oss-120b", "free"],
  ["my-gpt-6.2-sol", "bound"],
  ["not-o1-but-mine", "free"],
])("reasoning of %s is %s", (modelId, expected) => {
  expect(isBoundReasoning(signed, modelId)).toBe(expected === "bound");
});

test.each<[string, ReasoningPart | null, string | null, boolean]>([
  ["what a model will sign", null, "claude-saga-7", true],
  ["what a model of another maker will say", null, "deepseek-reasoner", false],
  ["a newer model of the vendor, signed", signed, "claude-saga-7", true],
  ["a newer model of the vendor, not signed", unsigned, "claude-saga-7", false],
  ["signed among a provider's options", reasoning({ anthropic: { signature: "sealed" } }), "claude-saga-7", true],
  ["sealed in a list", reasoning({ details: [{ type: "reasoning.encrypted", data: "sealed" }] }), "claude-saga-7", true],
  ["a signature alone", reasoning("sealed"), "gpt-9", true],
  ["a known model, whose wire does not show the signature", unsigned, "gpt-6.2-sol", true],
  ["a block of the vendor's own tools", reasoning({ type: "server_tool_use", id: "s" }), "claude-fable-5-2", false],
  ["a model that is not named", signed, null, false],
])("%s", (_, part, modelId, expected) => {
  expect(isBoundReasoning(part, modelId)).toBe(expected);
});

test.each([
  ["claude-fable-5-2", 8, 0.2],
  ["claude-mythos-5-1", 10, 0.25],
])("%s has a price and limits", (modelId, input, read) => {
  expect(MODEL_CATALOG.pricesOf(modelId)?.tiers[0]).toMatchObject({ inputUsdPerMillion: input, cacheReadUsdPerMillion: read });
  expect(familyLimitsOf(modelId)).toMatchObject({ contextWindowTokens: 1_000_000, maxOutputTokens: 128_000 });
});
