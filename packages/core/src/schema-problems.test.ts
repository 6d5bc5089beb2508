import { describe, expect, test } from "vitest";
import { nearestName, suggestion } from "./schema-problems.ts";

const KNOWN = ["none", "sven", "opal", "klaude-code", "pi"];

describe("nearestName", () => {
  test.each([
    ["svne", "sven"],
    ["Sven", "sven"],
    ["opla", "opal"],
    ["klaude", "klaude-code"],
    ["kaude", "klaude-code"],
    ["klaude_code", "klaude-code"],
    ["p", "pi"],
    ["gemini", undefined],
    ["", undefined],
  ])("of %s is %s", (name, expected) => {
    expect(nearestName(name, KNOWN)).toBe(expected);
  });

  test("without known names is nothing", () => {
    expect(nearestName("x", [])).toBeUndefined();
  });
});

describe("suggestion", () => {
  test("lists all names if none is near", () => {
    expect(suggestion("gemini", KNOWN)).toBe("known: none, sven, opal, klaude-code, pi");
  });
});
