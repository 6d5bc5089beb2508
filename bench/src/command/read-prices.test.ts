import { writeFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { readPrices } from "./read-prices.ts";

const folder = freshFolder(beforeAll);

const read = (text: string) => {
  writeFileSync(folder("prices.yaml"), text);
  return readPrices("prices.yaml", folder());
};

describe("readPrices", () => {
  test("puts the file's prices before the catalog's; what is not given costs what input costs", () => {
    const prices = read("my-model:\n  inputUsdPerMillion: 3\n  outputUsdPerMillion: 15\n  cacheReadUsdPerMillion: 0.3\n");
    expect(prices.get("my-model")).toEqual({
      tiers: [
        {
          abovePromptTokens: 0,
          inputUsdPerMillion: 3,
          outputUsdPerMillion: 15,
          cacheReadUsdPerMillion: 0.3,
          cacheWriteUsdPerMillion: 3,
          cacheWriteOneHourUsdPerMillion: 3,
        },
      ],
    });
    expect(prices.has("claude-opus-4-5")).toBe(false);
  });

  test("takes a list of prices by prompt size", () => {
    const prices = read(
      "m:\n  - { inputUsdPerMillion: 1, outputUsdPerMillion: 2 }\n  - { abovePromptTokens: 200000, inputUsdPerMillion: 2, outputUsdPerMillion: 4 }\n",
    );
    expect(prices.get("m")?.tiers.map(({ abovePromptTokens }) => abovePromptTokens)).toEqual([0, 200_000]);
  });

  test.each([
    [
      "a mistyped key",
      "m:\n  inputUsdPerMilion: 3\n  outputUsdPerMillion: 15",
      'prices.yaml:2:3: unknown key "inputUsdPerMilion" in m: did you mean inputUsdPerMillion?',
    ],
    ["a missing price", "m:\n  inputUsdPerMillion: 3", 'prices.yaml:1:1: missing key "outputUsdPerMillion" in m'],
    [
      "a negative price",
      "m: { inputUsdPerMillion: -3, outputUsdPerMillion: 15 }",
      "prices.yaml:1:6: m.inputUsdPerMillion: Too small: expected number to be >=0",
    ],
    ["no map", "- m", "prices.yaml:1:1: not a map of keys and values"],
  ])("names %s with file, line and column", (_, text, expected) => {
    expect(() => read(text)).toThrow(expected);
  });
});
