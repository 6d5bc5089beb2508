import { describe, expect, test } from "vitest";
import { BUILT_IN_KINDS } from "./policy/kinds.ts";
import { policySchema } from "./policy/policy.ts";
import { PLIMSOLL_POLICY } from "./policy/presets/plimsoll.ts";
import { nearestName, schemaProblems, suggestion } from "./schema-problems.ts";

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

describe("schemaProblems of a policy", () => {
  const schema = policySchema(BUILT_IN_KINDS);
  const AMOUNT = "; it may hold tokens, ratio, of, min, max, minus, windowAbove, above, upTo";
  const give = "give its kinds (kinds: withKinds(…), or --with MODULE), or use one of";

  test.each([
    ["a mistyped keep rule", { keep: [{ kind: "recnt", atMost: "4k" }] }, 'unknown keep rule "recnt": did you mean recent?'],
    [
      "a keep rule of no known kind",
      { keep: [{ kind: "tickets" }] },
      expect.stringContaining(`"tickets": ${give} recent, human`),
    ],
    [
      "a share of an unknown whole",
      { keep: [{ kind: "human", atMost: { ratio: 0.1, of: "windoww" } }] },
      'keep.0.atMost.of: expected one of "window"|"input-budget"|"room"; did you mean window?',
    ],
    [
      "an unknown key of an amount",
      { keep: [{ kind: "human", atMost: { share: 0.1 } }] },
      'unknown key "share" in keep.0.atMost: known: tokens, ratio, of, min, max, minus, windowAbove, above, upTo',
    ],
    [
      "a setting of another kind",
      { keep: [{ kind: "recent", atMost: { tokens: 1 } }] },
      'unknown key "atMost" in keep.0: known: kind, messages, amount',
    ],
    [
      "a kind with a wrong setting",
      { keep: [{ kind: "human", atMost: "4k" }] },
      `keep.0.atMost: expected object, received string${AMOUNT}`,
    ],
    [
      "a kind of two forms with a wrong setting",
      { keep: [{ kind: "recent", amount: 4 }] },
      `keep.0.amount: expected object, received number${AMOUNT}`,
    ],
    [
      "a strategy of no known kind",
      { strategies: [{ kind: "nosuch" }] },
      expect.stringContaining(`unknown strategy "nosuch": ${give} summarize`),
    ],
  ])("%s", (_, change, text) => {
    const { error = { issues: [] } } = schema.safeParse({ ...PLIMSOLL_POLICY, ...change }, { reportInput: true });
    expect(schemaProblems(error, schema).map((problem) => problem.text)).toEqual([text]);
  });
});
