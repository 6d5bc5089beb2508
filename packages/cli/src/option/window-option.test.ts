import { describe, expect, test } from "vitest";
import { parseWindow } from "./window-option.ts";

describe("parseWindow", () => {
  test.each([
    ["16k", { kind: "working-room", tokens: 16_000 }],
    ["128K", { kind: "working-room", tokens: 128_000 }],
    ["1m", { kind: "working-room", tokens: 1_000_000 }],
    ["48500", { kind: "working-room", tokens: 48_500 }],
    ["real", { kind: "real" }],
  ])("reads %s", (text, expected) => {
    expect(parseWindow(text)).toEqual(expected);
  });

  test.each(["", "k", "0", "999", "-5k", "1.5k", "32 k", "big", "9999999999"])("refuses %j and says what to give", (text) => {
    expect(() => parseWindow(text)).toThrow(/--window .*: give the working room as 16k/);
  });
});
