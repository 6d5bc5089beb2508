import { describe, expect, test } from "vitest";
import { BUILT_IN_KINDS } from "./kinds.ts";
import type { Policy } from "./policy.ts";
import { KLAUDE_CODE_POLICY } from "./presets/klaude-code.ts";
import { PLIMSOLL_POLICY } from "./presets/plimsoll.ts";
import { PRESETS } from "./presets/presets.ts";
import { keepsInOlderForm, policyInNewestForm, presetInOlderForm, readWritten } from "./written-policy.ts";

const amount = { ratio: 0.1, of: "window" };
const recent = { kind: "recent", amount };
const recall = { kind: "recall", atMost: { tokens: 9 } };
const fallback = null;

describe("a policy in an older form", () => {
  test.each<[string, object, object]>([
    ["gets the fallback that every policy had", { keep: [] }, { keep: [], fallback: PLIMSOLL_POLICY.fallback }],
    ["an amount that is kept is the rule recent", { fallback, keep: amount }, { fallback, keep: [recent] }],
    ["and a number of messages", { fallback, keep: { messages: 3 } }, { fallback, keep: [{ kind: "recent", messages: 3 }] }],
    [
      "excerpts are the rule recall, wherever something is kept",
      {
        fallback,
        keep: amount,
        manualKeep: amount,
        overflow: { keep: amount, maxRecoveries: 2 },
        excerpts: { atMost: { tokens: 9 } },
      },
      {
        fallback,
        keep: [recent, recall],
        manualKeep: [recent, recall],
        overflow: { keep: [recent, recall], maxRecoveries: 2 },
      },
    ],
    ["no excerpts are no rule", { fallback, keep: amount, excerpts: null }, { fallback, keep: [recent] }],
    ["by hand as ever stays so", { fallback, keep: amount, manualKeep: null }, { fallback, keep: [recent], manualKeep: null }],
    ["what is malformed is left to the schema", { fallback, keep: 3, excerpts: null }, { fallback, keep: 3 }],
  ])("%s", (_, written, expected) => {
    expect(policyInNewestForm(written)).toEqual(expected);
  });

  test("one in the newest form stays as it is", () => {
    for (const preset of PRESETS) expect(policyInNewestForm(preset)).toBe(preset);
    expect(policyInNewestForm("sven")).toBe("sven");
  });

  test.each(PRESETS.map((preset) => [preset.name, preset] as const))(
    "%s in the older form and back is the same",
    (_, preset) => {
      const older = presetInOlderForm(preset);
      expect([keepsInOlderForm({ ...preset }), keepsInOlderForm(older)]).toEqual([false, true]);
      expect(policyInNewestForm(older, preset)).toEqual(preset);
    },
  );

  test.each<[string, object, (policy: Policy) => Policy["keep"]]>([
    ["of the policy", { keep: { ratio: 0.1 } }, ({ keep }) => keep],
    ["after an overflow", { overflow: { keep: { ratio: 0.1 } } }, ({ overflow }) => overflow.keep],
  ])("a share that an older file changes is one of the input budget: %s", (_, written, kept) => {
    const { result } = readWritten({ ...written }, { preset: PLIMSOLL_POLICY, kinds: BUILT_IN_KINDS });
    expect(kept(result.data ?? PLIMSOLL_POLICY)[0]).toEqual({ kind: "recent", amount: { ratio: 0.1, of: "input-budget" } });
  });

  test("rules of the preset that older files know nothing of stay", () => {
    const human = { kind: "human", atMost: { tokens: 100 } };
    const preset: Policy = { ...KLAUDE_CODE_POLICY, keep: [...KLAUDE_CODE_POLICY.keep, human] };
    expect(policyInNewestForm({ ...presetInOlderForm(preset), keep: { messages: 3 } }, preset)).toMatchObject({
      keep: [{ kind: "recent", messages: 3 }, human],
    });
  });
});
