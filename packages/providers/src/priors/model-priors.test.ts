import { CHAR_CLASSES } from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import { familyOf, modelPriors } from "./model-priors.ts";

describe("modelPriors", () => {
  test.each([
    ["claude-sonnet-4-20250514", "claude", "goes"],
    ["claude-opus-4-5-20251101", "claude-from-opus-4.5", "stays"],
    ["claude-opus-4-6", "claude-from-opus-4.5", "stays"],
    ["anthropic/claude-sonnet-4.6", "claude-from-opus-4.5", "stays"],
    ["claude-opus-4-7", "claude-from-4.7", "stays"],
    ["claude-fable-5", "claude-from-4.7", "stays"],
    ["claude-opus-5", "claude-from-4.7", "stays"],
    ["gpt-5.4", "gpt", "goes"],
    ["openai/gpt-5-mini-2025-08-07", "gpt", "goes"],
    ["gpt-5.5-pro", "gpt", "goes"],
    ["gpt-5.6-sol", "gpt-from-5.6", "stays"],
    ["openai/gpt-5.10", "gpt-from-5.6", "stays"],
    ["gpt-6", "gpt-from-5.6", "stays"],
    ["o4-mini", "gpt", "goes"],
    ["gemini-3-flash-preview", "gemini", "goes"],
    ["meta-llama/llama-4-maverick", "llama", "goes"],
    ["some/new-model", "unknown", "stays"],
  ])("%s is of the family %s, whose reasoning %s at a turn", (modelId, name, reasoningAtTurn) => {
    expect(modelPriors(modelId)).toMatchObject({ name, reasoningAtTurn });
    expect(familyOf(modelId).name).toBe(name);
  });

  test("every prior has a weight for each class, and a plausible line", () => {
    for (const modelId of ["claude-opus-4-6", "claude-opus-4-5", "gpt-5", "gemini-3", "llama-4", "unknown"]) {
      const { weights, slopeRatio, messageTokens } = modelPriors(modelId);
      expect(weights).toHaveLength(CHAR_CLASSES.length);
      expect(Math.min(...weights)).toBeGreaterThan(0.02);
      expect(slopeRatio).toBeGreaterThan(0.7);
      expect(slopeRatio).toBeLessThan(1.5);
      expect(messageTokens).toBeLessThan(60);
    }
  });
});
