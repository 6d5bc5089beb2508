import { describe, expect, test } from "vitest";
import { formatCount, formatNumberOf, formatPercent, formatTokens, formatUsd, shareTexts, verbFor } from "./figures.ts";

describe("figures", () => {
  test.each([
    [0, "0.00"],
    [0.01234, "0.0123"],
    [0.4567, "0.457"],
    [4.567, "4.57"],
    [1_234.5, "1,235"],
    [null, "–"],
  ])("%s dollars read as %s", (usd, expected) => {
    expect(formatUsd(usd)).toBe(expected);
  });

  test.each([
    [0, "outgrow"],
    [1, "outgrows"],
    [2, "outgrow"],
  ])("%s sessions: the verb is %s", (count, verb) => {
    expect(verbFor(count, "outgrow")).toBe(verb);
  });

  test.each([
    [0, "0"],
    [812, "812"],
    [1_000, "1.00k"],
    [9_996, "10.0k"],
    [43_210, "43.2k"],
    [99_960, "100k"],
    [999_499, "999k"],
    [999_500, "1.00M"],
    [12_345_678, "12.3M"],
    [-4_321, "−4.32k"],
    [null, "–"],
  ])("tokens %s read as %s", (tokens, expected) => {
    expect(formatTokens(tokens)).toBe(expected);
  });

  test.each([
    [0, "0"],
    [0.034, "0.034"],
    [0.42, "0.42"],
    [18.54, "18.5"],
    [-0.8, "−0.80"],
    [null, "–"],
  ])("%s percent reads as %s", (percent, expected) => {
    expect(formatPercent(percent)).toBe(expected);
  });

  test.each([
    [[1, 1, 1], 1, ["33.4%", "33.3%", "33.3%"]],
    [[616, 146, 94, 54, 90], 0, ["62%", "15%", "9%", "5%", "9%"]],
    [[999, 1, 0], 0, ["100%", "< 1%", "0%"]],
    [[0], 1, ["0.0%"]],
  ])("shares of %j with %i decimals add up", (parts, decimals, expected) => {
    expect(shareTexts(parts, Number, decimals)).toEqual(expected);
  });

  test.each([
    [formatCount(1_234_567), "1,234,567"],
    [formatCount(null), "–"],
    [formatNumberOf(1, "session"), "1 session"],
    [formatNumberOf(0, "session"), "0 sessions"],
  ])("%s", (made, expected) => {
    expect(made).toBe(expected);
  });
});
