import { LIKENESSES } from "@plimsoll/bench/internal";
import { expect, test } from "vitest";
import { type Compared, tallied } from "./compared.ts";
import { differentialPage, undeclaredLines } from "./page.ts";
import { textDifference } from "./text-difference.ts";

test.each([
  ["nothing", "[User]: a\n\n[Assistant]: b", "[User]: a\n\n[Assistant]: b", null],
  [
    "the wording of a cut",
    "[Tool result]: a\n[… 5 more characters left out]",
    "[Tool result]: a\n\n[... 5 more characters truncated]",
    null,
  ],
  [
    "how much was cut",
    "[Tool result]: a\n[… 5 more characters left out]",
    "[Tool result]: a\n\n[... 6 more characters truncated]",
    "joins",
  ],
  ["a quoted speaker", "[User]: a\n\\[User]: b", "[User]: a\n[User]: b", "quoted"],
  ["what joins parts", "[User]: a\nb", "[User]: ab", "joins"],
  ["reasoning", "[Assistant]: b", "[Assistant thinking]: hm\n\n[Assistant]: b", "reasoning"],
  ["a word", "[User]: a", "[User]: b", "text"],
  ["a speaker", "[User]: a", "[Assistant]: b", "parts"],
])("histories are parted by %s", (_, ours, theirs, kind) => {
  expect(textDifference(ours, theirs)).toBe(kind);
});

const at = (aspect: Compared["aspect"], kind: string | null): Compared => ({ session: "s", call: 1, aspect, kind });
const DECLARED = [{ aspect: "history", kind: "quoted", says: "why" }] as const;

test("what is declared of one aspect is not declared of another", () => {
  const all = [at("history", "quoted"), at("history", null), at("turn-prefix", "quoted")];
  const [history, prefix] = tallied(all, DECLARED);
  expect(history).toMatchObject({ compared: 2, same: 1, undeclared: [] });
  expect(history?.declared).toEqual(new Map([["quoted", 1]]));
  expect(prefix?.undeclared).toEqual([at("turn-prefix", "quoted")]);
});

test("a page says what was not run, and each difference that nobody declared has a line", () => {
  const likeness = { policy: "p", follows: "q@1.0.0", differences: DECLARED };
  const run = { likeness, tallies: tallied([at("history", "text")], DECLARED) };
  expect(undeclaredLines(run)).toEqual(["p: history text at call 1 of s"]);
  expect(differentialPage([run, { likeness, tallies: null }], 3)).toContain("Not run:");
  expect(undeclaredLines({ likeness, tallies: null })).toEqual([]);
});

test("each likeness names a version, and says of each difference what it is", () => {
  for (const { follows, differences } of LIKENESSES) {
    expect(follows).toMatch(/@\d+\.\d+\.\d+$/);
    const named = differences.map(({ aspect, kind }) => `${aspect} ${kind}`);
    expect(new Set(named).size).toBe(named.length);
    expect(differences.every(({ says }) => says !== "")).toBe(true);
  }
});
