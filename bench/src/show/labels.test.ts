import { describe, expect, test } from "vitest";
import { commonFolder } from "./labels.ts";

describe("commonFolder", () => {
  test.each([
    [["a/b/c", "a/b/d"], "a/b/"],
    [["a/bc/x", "a/bd/x"], "a/"],
    [["/x/y", "/z"], "/"],
    [["x", "y"], ""],
    [["/x/y", "logs/y"], ""],
    [["a/b#1", "a/b#2"], "a/"],
    [["logs/only.jsonl"], "logs/"],
    [[], ""],
  ])("of %j is %s", (names, expected) => {
    expect(commonFolder(names)).toBe(expected);
  });
});
