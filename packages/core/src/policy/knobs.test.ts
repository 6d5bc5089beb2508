import { describe, expect, test } from "vitest";
import { amountOf, isKnobPath, knobText, sizeOf, withKnob } from "./knobs.ts";
import type { Policy } from "./policy.ts";
import { NONE_POLICY } from "./presets/none.ts";
import { OPAL_POLICY } from "./presets/opal.ts";
import { PI_POLICY } from "./presets/pi.ts";
import { PLIMSOLL_POLICY } from "./presets/plimsoll.ts";
import { PRESETS } from "./presets/presets.ts";
import { SVEN_POLICY } from "./presets/sven.ts";

const share = (ratio: number) => ({ ratio, of: "input-budget" });

describe("a size", () => {
  test.each([
    ["24k", 24_000],
    ["1.5m", 1_500_000],
    ["48000", 48_000],
    ["16K", 16_000],
    ["16 k", null],
    ["0", 0],
    ["k", null],
    ["-1k", null],
    ["24kb", null],
    ["75%", null],
  ])("%s is %s tokens", (text, tokens) => {
    expect(sizeOf(text)).toBe(tokens);
  });
});

describe("an amount", () => {
  test.each([
    ["75%", share(0.75)],
    ["75% of window", { ratio: 0.75, of: "window" }],
    ["72.5%", share(0.725)],
    ["58%", share(0.58)],
    [0.75, share(0.75)],
    ["150k", { tokens: 150_000 }],
    [150_000, { tokens: 150_000 }],
    ["101%", null],
    [75, null],
    ["75", null],
    ["100.5", { tokens: 100.5 }],
    ["three quarters", null],
    [{ tokens: 3 }, null],
  ])("%s", (value, amount) => {
    expect(amountOf(value)).toEqual(amount);
  });
});

/** The knobs of a preset whose own values can be written short, with these values. */
const knobsOf = ({ enabled, trigger, keep, truncation, prepare, strategies, summary }: Policy): readonly Knob[] => {
  const writer = strategies.flatMap((spec) => ("writer" in spec ? [spec.writer === "digest" ? "none" : spec.writer] : []))[0];
  return [
    ...(enabled && trigger.pays === undefined ? shortOf("actAt", "above" in trigger ? trigger.above : trigger.atLeast) : []),
    ["pays", trigger.pays ?? "off"],
    ...keep.flatMap((rule): readonly Knob[] =>
      "messages" in rule
        ? [[`keep.${rule.kind}`, `${String(rule.messages)} messages`]]
        : shortOf(`keep.${rule.kind}`, Object.values(rule).at(1)),
    ),
    ...(writer === undefined ? [] : [["writer", writer] as const]),
    ["cap", truncation === null || truncation.capTokens === 0 ? "off" : truncation.capTokens],
    ...(prepare === undefined ? [["prepareAt", "off"] as const] : shortOf("prepareAt", prepare.atLeast)),
    ...(typeof summary.request === "string" ? [["model", "same"] as const] : []),
  ];
};

type Knob = readonly [path: string, value: string | number];

/** An amount of several parts has no short form. */
const shortOf = (path: string, amount: unknown): readonly Knob[] => {
  const { tokens = null, ratio = null }: { readonly tokens?: unknown; readonly ratio?: unknown } = Object(amount);
  return [tokens, ratio].flatMap((value) => (typeof value === "number" ? [[path, value] as const] : []));
};

describe("a knob", () => {
  test.each([
    ["when it acts, as a share", SVEN_POLICY, "actAt", "75%", { trigger: { atLeast: share(0.75) } }],
    [
      "when it acts, as a size, and strictly above as before",
      PI_POLICY,
      "actAt",
      "150k",
      { trigger: { above: { tokens: 150_000 } } },
    ],
    [
      "when it acts, as a share of the same, at any price",
      PLIMSOLL_POLICY,
      "actAt",
      "50%",
      { trigger: { atLeast: { ratio: 0.5, of: "room" }, pays: undefined } },
    ],
    ["no price", PLIMSOLL_POLICY, "pays", "off", { trigger: { ...PLIMSOLL_POLICY.trigger, pays: undefined } }],
    ["a price", SVEN_POLICY, "pays", 3, { trigger: { ...SVEN_POLICY.trigger, pays: 3 } }],
    ["messages that stay", SVEN_POLICY, "keep.recent", "12 messages", { keep: [{ kind: "recent", messages: 12 }] }],
    ["a share that stays", SVEN_POLICY, "keep.recent", "10%", { keep: [{ kind: "recent", amount: share(0.1) }] }],
    ["a cap", PI_POLICY, "cap", "16k", { truncation: { capTokens: 16_000 } }],
    ["a summary that is prepared", SVEN_POLICY, "prepareAt", "60%", { prepare: { atLeast: share(0.6) } }],
    ["none", { ...SVEN_POLICY, prepare: { atLeast: { tokens: 1 } } }, "prepareAt", "off", { prepare: undefined }],
    ["no cap", SVEN_POLICY, "cap", "off", { truncation: { capTokens: 0 } }],
    [
      "quotations",
      SVEN_POLICY,
      "writer",
      "none",
      { strategies: [{ kind: "summarize", writer: "digest" }, SVEN_POLICY.strategies[1]] },
    ],
    [
      "the vendor's summary, with a digest behind it",
      PLIMSOLL_POLICY,
      "writer",
      "vendor",
      { strategies: [{ writer: "vendor" }, { writer: "digest" }] },
    ],
    ["a model's summary", PLIMSOLL_POLICY, "writer", "model", { strategies: [{ writer: "model", promptId: "checkpoint" }] }],
    [
      "another model's summary",
      SVEN_POLICY,
      "model",
      "claude-haiku-4-5 200k",
      { summary: { request: { cheaper: { modelId: "claude-haiku-4-5", contextWindowTokens: 200_000 } } } },
    ],
    ["the session's own model, asked as before", PLIMSOLL_POLICY, "model", "same", { summary: { request: "prefix" } }],
  ])("sets %s", (_, policy, path, value, expected) => {
    expect(withKnob(policy, path, value)).toMatchObject(expected);
  });

  test.each(PRESETS.flatMap((preset) => knobsOf(preset).map(([path, value]) => [preset.name, path, value, preset] as const)))(
    "of %s, %s as it is (%s), changes nothing",
    (_name, path, value, preset) => {
      expect(withKnob(preset, path, value)).toEqual(preset);
    },
  );

  test("when it acts, and the price, as they are, change nothing", () => {
    expect(withKnob(withKnob(PLIMSOLL_POLICY, "actAt", "25%"), "pays", 12)).toEqual(PLIMSOLL_POLICY);
  });

  test("that is a share is one of the space that the preset has shares of", () => {
    const kept = ["recent", "human", "recall", "mine"].map((rule) =>
      withKnob(PLIMSOLL_POLICY, `keep.${rule}`, "20%").keep.find(({ kind }) => kind === rule),
    );
    expect(
      kept.map((rule) => ({ amount: undefined, atMost: undefined, ...rule })).map((rule) => rule.amount ?? rule.atMost),
    ).toEqual(Array.from({ length: 4 }, () => ({ ratio: 0.2, of: "room" })));
    expect(withKnob(OPAL_POLICY, "keep.recent", "20%").keep).toEqual([
      { kind: "recent", amount: { ratio: 0.2, of: "window" } },
    ]);
  });

  test("of a rule leaves the others where they are, and takes the rule's name for a new one in front", () => {
    const kinds = (value: string, rule: string) =>
      withKnob(PLIMSOLL_POLICY, `keep.${rule}`, value).keep.map(({ kind }) => kind);
    const own = PLIMSOLL_POLICY.keep.map(({ kind }) => kind);
    expect(kinds("30k", "human")).toEqual(own);
    expect(kinds("off", "human")).toEqual(own.filter((kind) => kind !== "human"));
    expect(kinds("5%", "mine")).toEqual(["mine", ...own]);
  });

  test.each([
    ["if both were the same", SVEN_POLICY, [{ kind: "recent", messages: 3 }]],
    ["not if it was another", OPAL_POLICY, OPAL_POLICY.overflow.keep],
  ])("changes what a rejected request keeps %s", (_, policy, expected) => {
    expect(withKnob(policy, "keep.recent", "3 messages").overflow.keep).toEqual(expected);
  });

  test("what is the writer already stays as it was written", () => {
    expect(withKnob(SVEN_POLICY, "writer", "model")).toEqual(SVEN_POLICY);
    expect(withKnob(PLIMSOLL_POLICY, "writer", "none")).toEqual(PLIMSOLL_POLICY);
    const vendor = withKnob(PLIMSOLL_POLICY, "writer", "vendor");
    expect(withKnob(vendor, "writer", "vendor")).toEqual(vendor);
    expect(withKnob(vendor, "writer", "none")).toEqual(PLIMSOLL_POLICY);
  });

  test.each([
    ["a line for a policy that never acts", NONE_POLICY, "actAt", "75%", "none never compacts"],
    ["a writer for a policy without summaries", NONE_POLICY, "writer", "model", "none writes no summary"],
    ["another writer", SVEN_POLICY, "writer", "me", "writer: give model, vendor or none"],
    ["a share of nothing", SVEN_POLICY, "actAt", "150%", "actAt: give a share up to 100%, as 75% or 75% of window"],
    ["a cap as a share", SVEN_POLICY, "cap", "5%", "cap: give a size in tokens, as 16k, or off"],
    ["messages of a rule that has none", PLIMSOLL_POLICY, "keep.human", "3 messages", "keep.human: give a share"],
    ["a model without its window", SVEN_POLICY, "model", "claude-haiku-4-5", "and its window"],
  ])("refuses %s", (_, policy, path, value, line) => {
    expect(() => withKnob(policy, path, value)).toThrow(line);
  });
});

test.each([
  [0.75, "75%"],
  [0.58, "58%"],
  [1, "100%"],
  [16_000, "16k"],
  [16_384, "16384"],
  ["12 messages", "12 messages"],
])("%s is written %s", (value, text) => {
  expect(knobText(value)).toBe(text);
});

test.each([
  ["actAt", true],
  ["keep.files-in-hand", true],
  ["keep", false],
  ["keep.recent.messages", false],
  ["keep.messages", false],
  ["trigger.ratio", false],
])("%s as a knob: %s", (path, expected) => {
  expect(isKnobPath(path)).toBe(expected);
});
