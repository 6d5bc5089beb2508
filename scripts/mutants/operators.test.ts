import { describe, expect, test } from "vitest";
import { mutationsOf, withMutations } from "./operators.mjs";

const wrong = (text: string) => mutationsOf("a.ts", text).map((mutation) => withMutations(text, [mutation]));

describe("what can be put wrong", () => {
  test.each<[string, string, readonly string[]]>([
    ["a sign", "a + b", ["a - b"]],
    ["a negative", "f(-a)", ["f(a)"]],
    ["an addition to a name", "a += b", ["a -= b"]],
    ["a factor", "a * b / c", ["a / b / c", "a * b * c"]],
    ["a comparison's direction and edge", "a < b", ["a > b", "a <= b"]],
    ["an equality", "a === b", ["a !== b"]],
    ["a conjunction", "a && b", ["a || b"]],
    ["a negation", "!a", ["a"]],
    ["a default", "a ?? b", ["(a)"]],
    ["a smallest", "Math.min(a, b)", ["Math.max(a, b)"]],
    ["a rounding", "Math.floor(a)", ["Math.ceil(a)"]],
    ["a branch", "a ? b : c", ["a ? (c) : (b)"]],
    ["a whole number and a fraction", "f(2, 0.5)", ["f(3, 0.5)", "f(2, 0.625)"]],
    ["a truth", "f(true)", ["f(false)"]],
  ])("%s", (_, text, expected) => {
    expect(wrong(text)).toEqual(expected);
  });

  test.each([
    ["joined texts", '"a" + b'],
    ["types", "let a: 1 | -1 | true;"],
    ["names that look like operators' objects", "math.min(a)"],
  ])("not %s", (_, text) => {
    expect(wrong(text)).toEqual([]);
  });

  test("values under a cast can", () => {
    expect(wrong("const a = [1 + b] as const;")).toEqual(["const a = [2 + b] as const;", "const a = [1 - b] as const;"]);
  });

  test("two at once, from the back", () => {
    const text = "a + b - c";
    expect(withMutations(text, mutationsOf("a.ts", text))).toBe("a - b + c");
  });
});
