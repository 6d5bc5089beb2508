import { describe, expect, test } from "vitest";
import { z } from "zod";
import { amountSchema } from "../budget.ts";
import { defineAmountRule, defineKeepRule } from "../keep/keep-rule.ts";
import { BUILT_IN_KINDS, withKinds } from "./kinds.ts";
import { OPAL_POLICY } from "./presets/opal.ts";
import { PLIMSOLL_POLICY } from "./presets/plimsoll.ts";
import { SVEN_POLICY } from "./presets/sven.ts";
import { definePolicy } from "./written-policy.ts";

describe("a policy in code", () => {
  test("is the default one unless it extends another", () => {
    expect(definePolicy({})).toEqual(PLIMSOLL_POLICY);
    expect(definePolicy({ extends: "sven" })).toEqual(SVEN_POLICY);
  });

  test("turns knobs and changes parts, each only what it names", () => {
    const policy = definePolicy({ extends: "sven", name: "mine", actAt: "75%", cap: "off", facts: { maxTokens: 10 } });
    expect(policy).toEqual({
      ...SVEN_POLICY,
      name: "mine",
      trigger: { atLeast: { ratio: 0.75, of: "input-budget" } },
      truncation: { capTokens: 0 },
      facts: { maxTokens: 10 },
    });
  });

  test.each([
    ["a share", { atLeast: { ratio: 0.6 } }, { atLeast: { ratio: 0.6, of: "room" } }],
    ["a size", { atLeast: { tokens: 6_000 } }, { atLeast: { tokens: 6_000 } }],
    ["a size above which it acts", { above: { tokens: 6_000 } }, { above: { tokens: 6_000 } }],
    ["a share and a price", { atLeast: { ratio: 0.6 }, pays: 3 }, { atLeast: { ratio: 0.6, of: "room" }, pays: 3 }],
    ["a price", { pays: 3 }, { ...PLIMSOLL_POLICY.trigger, pays: 3 }],
  ])("has %s as its trigger if that is written out, at any price unless it names one", (_, trigger, expected) => {
    expect(definePolicy(Object({ trigger })).trigger).toEqual(expected);
  });

  test("keeps what is written beside a knob of the same part", () => {
    const [maxRecoveries, maxTokens, keep] = [1, 5, [{ kind: "recent", messages: 3 }]];
    const knobs = { keep: { human: "4k" }, model: "m 100k" };
    const policy = definePolicy({ ...knobs, overflow: { maxRecoveries, keep }, summary: { maxTokens } });
    expect(policy).toMatchObject({ overflow: { maxRecoveries, keep }, summary: { maxTokens, request: { cheaper: {} } } });
    const both = definePolicy({ ...knobs, overflow: { maxRecoveries } });
    expect(both.overflow).toEqual({ maxRecoveries, keep: both.keep });
  });

  test("may list its keep rules whole", () => {
    const keep = [{ kind: "recent", messages: 3 }];
    const [name, { overflow }] = ["plimsoll (changed)", PLIMSOLL_POLICY];
    expect(definePolicy({ keep })).toEqual({ ...PLIMSOLL_POLICY, name, keep, overflow: { ...overflow, keep } });
    expect(definePolicy({ keep, overflow: { keep: [] } })).toMatchObject({ keep, overflow: { keep: [] } });
    expect(definePolicy({ extends: "opal", keep }).overflow).toEqual(OPAL_POLICY.overflow);
  });

  test("has the person's new rules in front of the preset's, in their order, in either form", () => {
    const own = ["first", "second"].map((kind) =>
      defineKeepRule({
        kind,
        schema: z.strictObject({ kind: z.literal(kind), atMost: amountSchema }),
        rule: ({ atMost }) => ({ keeps: "messages", atMost, choose: () => [] }),
      }),
    );
    const kinds = withKinds({ keepRules: own });
    const map = definePolicy({ keep: { first: "4k", second: "5k" } }, kinds);
    const atMost = [{ tokens: 4_000 }, { tokens: 5_000 }];
    const first = own.map(({ kind }, at) => ({ kind, atMost: atMost[at] }));
    expect(map).toEqual(definePolicy({ keep: [...first, ...PLIMSOLL_POLICY.keep] }, kinds));
  });

  test.each([
    ["an unknown preset", { extends: "svne" }, 'no preset "svne"'],
    ["a preset with settings", { extends: "pi cap=8k actAt=60%" }, 'definePolicy({ extends: "pi", cap: "8k", actAt: "60%" })'],
    ["a file", { extends: "plimsoll.yaml" }, "take loadPolicy of @plimsoll/stores"],
    ["a policy of the bench", { extends: "opencode" }, "run only in `plimsoll bench`"],
    ["a knob's value", { actAt: "late" }, "actAt: give a share"],
    ["a bare number", { actAt: 75 }, "of window, or a size, as 150k; 75 may be either"],
    ["a keep rule that there is not", { keep: { recents: "5%" } }, 'unknown keep rule "recents": did you mean recent?'],
    ["a value that no policy may have", { overflow: { maxRecoveries: 99 } }, "overflow.maxRecoveries"],
    ["a share above the whole", { actAt: "101%" }, "actAt"],
  ])("is refused for %s", (_, written, line) => {
    expect(() => definePolicy<string>(written)).toThrow(line);
  });

  test.each([
    ["kinds in an object", { kinds: BUILT_IN_KINDS }, "object"],
    ["only one's own", { keepRules: [] }, "object"],
    ["a list", [], "a list"],
  ])("is refused for kinds of another form: %s", (_, kinds, received) => {
    const wanted = `a policy's kinds: expected the kinds that withKinds({ … }) makes, received ${received}`;
    expect(() => definePolicy({}, Object(kinds))).toThrow(wanted);
  });

  test("names everything that is wrong in its details", () => {
    const wrong = { actAt: "late", keep: { tickets: 1 }, overflow: { maxRecoveries: 99 } };
    const problems = [/^actAt/, /^unknown keep rule "tickets": give its kinds/, /^overflow/];
    expect(() => definePolicy<"tickets">(wrong)).toThrow(
      expect.objectContaining({ details: { problems: problems.map((each) => expect.stringMatching(each)) } }),
    );
  });
});

test("a key that no policy has does not compile, and is refused", () => {
  // @ts-expect-error: the rule is `recent`
  expect(() => definePolicy({ keep: { recnt: "10%" } })).toThrow("keep");
  // @ts-expect-error: the key is `maxTokens`
  expect(() => definePolicy({ facts: { maxToken: 10 } })).toThrow(/maxToken/);
  // @ts-expect-error: the knob is `actAt`
  expect(() => definePolicy({ actsAt: "75%" })).toThrow(/actsAt/);
});

test("a rule of one's own compiles with its kinds, in a list and by its amount", () => {
  const kind = "tickets";
  const kinds = withKinds({
    keepRules: [defineAmountRule(kind, (atMost) => ({ keeps: "messages", atMost, choose: () => [] }))],
  });
  const atMost = { ratio: 0.1, of: "window" } as const;
  const listed = definePolicy(
    { name: "own", keep: [{ kind: "tickets", atMost: { ratio: 0.1, of: "window" } }, ...PLIMSOLL_POLICY.keep] },
    kinds,
  );
  expect(listed.keep[0]).toEqual({ kind, atMost });
  const changed = definePolicy({ extends: "plimsoll", keep: { tickets: "10%" } }, kinds);
  expect(changed.keep[0]).toMatchObject({ kind, atMost: { ratio: 0.1 } });
});
