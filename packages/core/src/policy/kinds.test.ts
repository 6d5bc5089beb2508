import { describe, expect, test } from "vitest";
import { z } from "zod";
import { smallSession, stepsOf, turns } from "../../testing/small-session.ts";
import type { KindSpec } from "../kind.ts";
import { defineStrategy } from "../strategy/strategy.ts";
import { charsPerToken } from "../tokens/chars-per-token.ts";
import { defineMeasure } from "../tokens/estimator.ts";
import { BUILT_IN_KINDS, bindingOnce, withKinds } from "./kinds.ts";
import { policySchema } from "./policy.ts";
import { PLIMSOLL_POLICY } from "./presets/plimsoll.ts";
import { SVEN_LENGTH_ESTIMATE, SVEN_POLICY } from "./presets/sven.ts";
import { requireFallback } from "./written-policy.ts";

/** Takes the oldest messages, as many as its settings say. */
const FORGET = defineStrategy({
  kind: "forget",
  schema: z.strictObject({ kind: z.literal("forget"), messages: z.int().positive() }),
  needsModel: () => false,
  plan: (spec, { messages }) => {
    const [from, through] = [messages[0]?.id, messages[spec.messages - 1]?.id];
    if (from === undefined || through === undefined) return { kind: "not-applicable", reason: "there are not so many" };
    return { kind: "edits", edits: [{ kind: "replace-spans", spans: [{ from, through, promptId: null }], by: "notice" }] };
  },
});
const HALF = defineMeasure({
  kind: "half",
  schema: z.strictObject({ kind: z.literal("half") }),
  measure: (_, { work }) => charsPerToken({ ...SVEN_LENGTH_ESTIMATE, charsPerToken: 8 }, work),
});
const OWN = withKinds({ strategies: [FORGET], estimators: [HALF] });

describe("a policy that names own kinds", () => {
  const strategies = [{ kind: "forget", messages: 8 }];
  const policy = { ...SVEN_POLICY, name: "own", estimator: { kind: "half" }, strategies };

  test("is read with them, and refused without", () => {
    expect(policySchema(OWN).parse(policy)).toEqual(policy);
    expect(policySchema(BUILT_IN_KINDS).safeParse(policy).success).toBe(false);
  });

  test.each([
    ["a setting that is none", { kind: "forget", messages: 0 }],
    ["a key that nobody knows", { kind: "forget", messages: 1, more: 1 }],
    ["a kind that is not there", { kind: "forgets", messages: 1 }],
  ])("is refused for %s", (_, spec) => {
    expect(policySchema(OWN).safeParse({ ...policy, strategies: [spec] }).success).toBe(false);
  });

  test("runs as any other: its strategy acts, measured by its estimator", async () => {
    const { fit, written } = smallSession(turns(16), {
      policy: { ...policy, gates: { at: ["before-step"], countPending: false }, trigger: { atLeast: { tokens: 7000 } } },
      kinds: OWN,
    });
    const outcome = await fit();
    expect(stepsOf(outcome)).toEqual(["forget applied"]);
    expect(written()).toContain("8 earlier messages");
  });
});

test("a session reads the settings of a strategy or a rule once, and refuses bad ones each time", () => {
  const bound: unknown[] = [];
  const counted = {
    ...FORGET,
    bind: (spec: KindSpec) => {
      bound.push(spec);
      return FORGET.bind(spec);
    },
  };
  const [kind] = bindingOnce({ ...OWN, strategies: [counted] }).strategies;
  const spec = { kind: "forget", messages: 8 };
  expect(kind?.bind(spec)).toBe(kind?.bind(spec));
  expect(bound).toEqual([spec]);
  const bad = { kind: "forget", messages: 0 };
  for (let asked = 0; asked < 2; asked++) expect(() => kind?.bind(bad)).toThrow(/forget.messages/);
});

test.each([
  ["strategy", { strategies: BUILT_IN_KINDS.strategies.slice(0, 1) }],
  ["estimator", { estimators: [HALF, HALF] }],
  ["prompt", { prompts: BUILT_IN_KINDS.prompts.slice(0, 1) }],
  ["truncation", { truncations: BUILT_IN_KINDS.truncations.slice(0, 1) }],
  ["keep rule", { keepRules: BUILT_IN_KINDS.keepRules.slice(0, 1) }],
])("the name of a %s is given once", (what, added) => {
  expect(() => withKinds(added)).toThrow(new RegExp(`the ${what} .* already exists`));
});

test("a policy without a fallback is no policy for users", () => {
  const published = { ...PLIMSOLL_POLICY, fallback: null };
  expect(policySchema(BUILT_IN_KINDS).safeParse(published).success).toBe(false);
  expect(() => requireFallback(published)).toThrow(/may lose a call/);
  expect(requireFallback(PLIMSOLL_POLICY)).toEqual(PLIMSOLL_POLICY);
});
