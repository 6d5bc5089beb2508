import { definePolicy, PLIMSOLL_POLICY, type Policy, SVEN_POLICY } from "@plimsoll/core";
import { policyOf, readDocument, withoutSettings } from "@plimsoll/stores";
import { describe, expect, test } from "vitest";
import { madeStanding } from "../../testing/example-tuned.ts";
import { policyAt } from "../sweep/grid.ts";
import { settingWords } from "../tune/tunable-settings.ts";
import type { TunedPolicy } from "../tune/tune.ts";
import { tunedYaml } from "./tune-command.ts";

const SCORE = madeStanding("x", 100, { held: 1 });
const tuned = (base: Policy, settings: TunedPolicy["settings"]): TunedPolicy => ({
  policy: settings.length === 0 ? base : policyAt(base, settings.map(settingWords)).policy,
  settings,
  train: SCORE,
  test: SCORE,
});
const SETTINGS = [
  { path: "actAt", value: 0.7 },
  { path: "keep.recent.messages", value: 12 },
];

const FILE = `# my agent
model: opus # the best
extends: sven
cap: 8k # not more
`;
const CURRENT = { ...definePolicy({ extends: "sven", cap: "8k" }), name: "sven (plimsoll.yaml)" };

/** The policy in a text. */
const read = (text: string): Policy | readonly string[] => {
  const document = readDocument(text);
  if ("problems" in document) return document.problems.map((problem) => problem.text);
  const found = policyOf(withoutSettings(document.document), "plimsoll.yaml");
  return "found" in found ? found.found.policy : found.problems;
};

describe("the file of a tuned setting", () => {
  test.each<[string, string, Policy, TunedPolicy, string]>([
    ["knobs", "", SVEN_POLICY, tuned(SVEN_POLICY, SETTINGS), "extends: sven\nactAt: 70%\nkeep:\n  recent: 12 messages\n"],
    ["the preset alone if it is best as it is", "", SVEN_POLICY, tuned(SVEN_POLICY, []), "extends: sven\n"],
    [
      "knobs next to what the file has, with its settings and comments",
      FILE,
      CURRENT,
      tuned(CURRENT, SETTINGS),
      `${FILE}actAt: 70%\nkeep:\n  recent: 12 messages\n`,
    ],
    ["the file as it was if that is best", FILE, CURRENT, tuned(CURRENT, []), FILE],
    [
      "a preset in the place of another policy, with settings and comments",
      "# mine\nmodel: opus # the best\nextends: pi\nactAt: 50%\n",
      SVEN_POLICY,
      tuned(SVEN_POLICY, []),
      "# mine\nmodel: opus # the best\nextends: sven\n",
    ],
    [
      "knobs below policy if the file has them there",
      "policy:\n  extends: plimsoll\n  cap: 8k\n",
      definePolicy({ cap: "8k" }),
      tuned(definePolicy({ cap: "8k" }), [{ path: "actAt", value: 0.9 }]),
      "policy:\n  extends: plimsoll\n  cap: 8k\n  actAt: 90%\n",
    ],
  ])("has %s", (_, text, current, best, expected) => {
    const made = tunedYaml({ text, current, best });
    expect(made).toBe(expected);
    expect(read(made)).toMatchObject({ ...best.policy, name: expect.anything() });
  });

  test("has a whole policy if no preset is its base", () => {
    const current = { ...PLIMSOLL_POLICY, name: "mine", facts: { maxTokens: 3 } };
    const best = tuned(current, SETTINGS.slice(0, 1));
    const made = tunedYaml({ text: "model: opus\n", current, best });
    expect(made).toMatch(/^model: opus\npolicy:\n {2}name: mine\n/);
    expect(read(made)).toEqual({ ...best.policy, name: "mine" });
  });
});
