import { describe, expect, test } from "vitest";
import { parseSince, parseWindow, wholeNumber } from "./replay-options.ts";

const NOW_MS = Date.UTC(2026, 2, 10, 12);

describe("parseSince", () => {
  test.each([
    ["2026-01-31", Date.UTC(2026, 0, 31)],
    ["2026-01-31T10:00:00Z", Date.UTC(2026, 0, 31, 10)],
    ["12h", Date.UTC(2026, 2, 10)],
    ["7d", Date.UTC(2026, 2, 3, 12)],
    ["1w", Date.UTC(2026, 2, 3, 12)],
  ])("reads %s", (text, expected) => {
    expect(parseSince(text, NOW_MS)).toBe(expected);
  });

  test.each(["", "yesterday", "7", "7y", "2026-13-01", "31.01.2026", "-7d"])("refuses %j and says what to give", (text) => {
    expect(() => parseSince(text, NOW_MS)).toThrow(/--since .*: give a day such as 2026-01-31/);
  });
});

test.each(["65536", "-1", "http", ""])("a port is not %j, and it is said what to give", (text) => {
  expect(() => wholeNumber("--port", text, [0, 65_535])).toThrow(/--port .*: give a whole number from 0 to 65535/);
});

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

  test.each(["", "k", "0", "999", "-5k", "32 k", "big", "9999999999"])("refuses %j and says what to give", (text) => {
    expect(() => parseWindow(text)).toThrow(/--window .*: give the tokens for messages as 16k/);
  });
});
