import { KLAUDE_CODE_POLICY, OPAL_POLICY, type Policy, PRESETS, SVEN_POLICY } from "@plimsoll/core";
import { BUILT_IN_KINDS, policySchema } from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import { gridOf, numberOfSetting, parseAxis, type SweepSetting } from "./grid.ts";
import { type SweepValue, withValue } from "./policy-path.ts";

/** Two strategies, of which only the first counts results. */
const CLEARING: Policy = {
  ...SVEN_POLICY,
  strategies: [{ kind: "clear-tool-results", keepResults: 10, clearAtLeastTokens: 0 }, ...SVEN_POLICY.strategies],
};

describe("an axis", () => {
  test.each([
    ["trigger.ratio=0.5..0.95:0.05", "trigger.ratio", [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]],
    ["keep.messages=4,6,10", "keep.messages", [4, 6, 10]],
    ["truncation.capTokens=2000..6000:2000", "truncation.capTokens", [2000, 4000, 6000]],
    ["x.y=3", "x.y", [3]],
    ["x.y=1..1.5:0.4", "x.y", [1, 1.4]],
    ["summary.request=serialised,prefix", "summary.request", ["serialised", "prefix"]],
    ["gates.countPending=true,false", "gates.countPending", [true, false]],
    ["truncation=null", "truncation", [null]],
    ["actAt=50%..95%:15%", "actAt", ["50%", "65%", "80%", "95%"]],
    ["actAt=0.5..0.7:0.1", "actAt", [0.5, 0.6, 0.7]],
    ["cap=8k..16k:4k", "cap", ["8k", "12k", "16k"]],
    ["keep.recent=5%,12 messages,off", "keep.recent", ["5%", "12 messages", "off"]],
    ["trigger.ratio=50%,75%", "trigger.ratio", [0.5, 0.75]],
    ["truncation.capTokens=8k,16k", "truncation.capTokens", [8000, 16_000]],
  ])("%s is read", (text, path, values) => {
    expect(parseAxis(text)).toEqual({ path, values });
  });

  test.each(["idleAfter=4m30s", "keep.lines=5%", "progress.target.steps=3"])("%s is gone", (text) => {
    expect(() => parseAxis(text)).toThrow(expect.objectContaining({ code: "bad-policy" }));
  });

  test.each([
    "trigger.ratio",
    "=1",
    "a=",
    "a=1..2",
    "a=2..1:0.5",
    "a=1..2:0",
    "a=1..2..3:1",
    "a=1=2",
    "a=1,,2",
    "a=-1",
    "a=x..y:1",
    "actAt=50%..95:5%",
    "actAt=50%..95%:0%",
  ])("%s is refused with its form", (text) => {
    expect(() => parseAxis(text)).toThrow(/give a path with a range or a list/);
  });
});

describe("a path", () => {
  test.each([
    ["the whole path", SVEN_POLICY, "trigger.atLeast.ratio", { trigger: { atLeast: { ratio: 0.5, of: "input-budget" } } }],
    ["steps left out", SVEN_POLICY, "trigger.ratio", { trigger: { atLeast: { ratio: 0.5, of: "input-budget" } } }],
    ["the one strategy that has it", CLEARING, "strategies.keepResults", {}],
    ["an item's kind", CLEARING, "strategies.clear-tool-results.keepResults", {}],
    ["a step of a list", CLEARING, "strategies.0.keepResults", {}],
  ])("names a number by %s", (_, policy, path, expected) => {
    const data = withValue(policy, path, 0.5);
    expect(data).not.toEqual(policy);
    expect(data).toMatchObject(expected);
    expect(data).toMatchObject({ name: policy.name, gates: policy.gates });
  });

  test.each([
    [
      "is mistyped",
      OPAL_POLICY,
      "trigger.rato",
      "trigger.rato: not a value of this policy; did you mean trigger.atLeast.ratio?",
    ],
    ["is a mistyped knob", SVEN_POLICY, "pay", "pay: not a value of this policy; did you mean pays?"],
    ["is a mistyped rule of the run", SVEN_POLICY, "keeep.tickets", "did you mean keep.tickets?"],
    ["is mistyped deep inside", SVEN_POLICY, "progress.maximumFailure", "did you mean progress.maximumFailures?"],
    [
      "is unknown",
      SVEN_POLICY,
      "facts.somethingElse",
      "facts.somethingElse: not a value of this policy; it has facts.maxTokens",
    ],
    ["is like none", SVEN_POLICY, "foo", / it has (?:[\w.]+, ){3}[\w.]+ and \d+ more \(plimsoll policy show NAME\)$/],
    ["names two values", KLAUDE_CODE_POLICY, "keep.tokens", "say which"],
  ])("that %s is refused with those that are like it", (_, policy, path, line) => {
    expect(() => withValue(policy, path, 1, ["keep.tickets"])).toThrow(line);
  });
});

describe("a value", () => {
  test.each<[string, string, SweepValue, object]>([
    ["a word", "summary.request", "prefix", { summary: { request: "prefix" } }],
    ["a switch", "gates.countPending", true, { gates: { countPending: true } }],
    ["a cap that the policy has not", "truncation.capTokens", 3000, { truncation: { capTokens: 3000 } }],
    ["a cap of a summary's results", "summary.resultCapChars", 500, { summary: { resultCapChars: 500 } }],
    ["a number deep inside", "emergency.atLeast.ratio", 0.99, { emergency: { atLeast: { ratio: 0.99 } } }],
    ["none in place of a part", "emergency", null, { emergency: null }],
  ])("can be %s", (_, path, value, expected) => {
    const uncapped: Policy = { ...SVEN_POLICY, truncation: null };
    const [swept] = gridOf(uncapped, [{ path, values: [value] }]);
    expect(swept?.policy).toMatchObject(expected);
  });
});

describe("a grid", () => {
  test("has the policy at every point, each under its own name", () => {
    const grid = gridOf(SVEN_POLICY, [parseAxis("trigger.ratio=0.5,0.7"), parseAxis("keep.messages=4,6,8")]);
    expect(grid.map(({ policy }) => policy.name)).toEqual([
      "sven trigger.ratio=0.5 keep.messages=4",
      "sven trigger.ratio=0.5 keep.messages=6",
      "sven trigger.ratio=0.5 keep.messages=8",
      "sven trigger.ratio=0.7 keep.messages=4",
      "sven trigger.ratio=0.7 keep.messages=6",
      "sven trigger.ratio=0.7 keep.messages=8",
    ]);
    expect(grid.every(({ policy }) => policySchema(BUILT_IN_KINDS).safeParse(policy).success)).toBe(true);
    expect(grid.at(-1)?.policy).toMatchObject({
      keep: [{ kind: "recent", messages: 8 }],
      trigger: { atLeast: { ratio: 0.7 } },
    });
  });

  const acting = PRESETS.filter(({ enabled }) => enabled);
  test.each(acting.map((preset) => [preset.name, preset] as const))("turns the knob actAt of %s", (name, preset) => {
    const grid = gridOf(preset, [parseAxis("actAt=50%..95%:5%")]);
    expect(grid.map((swept) => swept.policy.name)).toEqual(
      [50, 55, 60, 65, 70, 75, 80, 85, 90, 95].map(
        (at) => `${name} actAt=${at}%${preset.trigger.pays === undefined ? "" : " pays=off"}`,
      ),
    );
    expect(new Set(grid.map(({ policy }) => JSON.stringify(policy.trigger))).size).toBe(10);
  });

  test.each<[string, SweepSetting, number | null]>([
    ["a share", { path: "actAt", value: "75%" }, 0.75],
    ["a size", { path: "cap", value: "16k" }, 16_000],
    ["messages", { path: "keep.recent", value: "12 messages" }, 12],
    ["a number", { path: "trigger.ratio", value: 0.5 }, 0.5],
    ["no word", { path: "writer", value: "none" }, null],
    ["no switch", { path: "cap", value: "off" }, null],
  ])("shows %s on an axis", (_, setting, expected) => {
    expect(numberOfSetting(setting)).toBe(expected);
  });

  test.each([
    ["a value that no policy may have", "trigger.ratio=1.5", /no policy can have this value/],
    ["too many points", "truncation.capTokens=1..3000:1", /the grid has 3000 points/],
  ])("refuses %s", (_, axis, line) => {
    expect(() => gridOf(SVEN_POLICY, [parseAxis(axis)])).toThrow(line);
  });
});
