import { PRESETS } from "@plimsoll/core";
import { amountSchema, defineKeepRule, withKinds } from "@plimsoll/core/extend";
import { expect, test } from "vitest";
import { z } from "zod";
import { sweepPolicies } from "./replay-options.ts";

const LINES = ["50%", "55%", "60%", "65%", "70%", "75%", "80%", "85%", "90%", "95%"];

test.each(PRESETS.filter(({ enabled }) => enabled).map((preset) => [preset.name, preset] as const))(
  "--sweep actAt=50%%..95%%:5%% turns the line of %s",
  (name, preset) => {
    const { policies, sweeps, problems } = sweepPolicies([preset], ["actAt=50%..95%:5%"]);
    expect(problems).toEqual([]);
    expect(policies[0]).toBe(preset);
    expect(policies.slice(1).map((policy) => policy.name)).toEqual(
      LINES.map((line) => `${name} actAt=${line}${preset.trigger.pays === undefined ? "" : " pays=off"}`),
    );
    expect(new Set(policies.slice(1).map(({ trigger }) => JSON.stringify(trigger))).size).toBe(LINES.length);
    expect(sweeps.size).toBe(LINES.length);
  },
);

test.each(PRESETS.filter(({ enabled }) => !enabled).map((preset) => [preset.name, preset] as const))(
  "for %s, which never acts, it is said that there is nothing to sweep",
  (name, preset) => {
    const { policies, problems } = sweepPolicies([preset], ["actAt=50%..95%:5%"]);
    expect(policies).toEqual([]);
    expect(problems).toEqual([
      `nothing to sweep: ${name} never compacts by itself; give a --policy that does, such as plimsoll`,
    ]);
  },
);

const named = (...names: readonly string[]) => names.flatMap((name) => PRESETS.filter((preset) => preset.name === name));

test("a policy without what is swept stays as it is, and one line says so", () => {
  const { policies, problems, notes } = sweepPolicies(named("none", "sven", "pi"), ["trigger.ratio=60%,75%"]);
  expect(policies.map(({ name }) => name)).toEqual(["none", "sven", "sven trigger.ratio=0.6", "sven trigger.ratio=0.75", "pi"]);
  expect([problems, notes]).toEqual([
    [],
    ["--sweep: pi has no one value named trigger.ratio: replayed as it is, beside the sweep."],
  ]);
});

test("what no policy has is a problem of each", () => {
  const { policies, problems, notes } = sweepPolicies(named("sven", "plimsoll"), ["trigger.rato=60%,75%"]);
  expect([policies, notes]).toEqual([[], []]);
  expect(problems.map((line) => line.split(":")[0])).toEqual(["sven", "plimsoll"]);
});

test("a value that no policy can have is a problem, whoever else has it", () => {
  const { policies, problems } = sweepPolicies(named("sven", "plimsoll"), ["trigger.ratio=2,3"]);
  expect(policies).toEqual([]);
  expect(problems[0]).toMatch(/^sven trigger\.ratio=2: no policy can have this value: trigger\.atLeast\.ratio: Too big/);
});

test("a rule that one policy has is swept there, and a value that it needs besides is named", () => {
  const kind = "kept";
  const schema = z.strictObject({ kind: z.literal(kind), tools: z.array(z.string()), atMost: amountSchema });
  const kinds = withKinds({
    keepRules: [defineKeepRule({ kind, schema, rule: ({ atMost }) => ({ keeps: "messages", atMost, choose: () => [] }) })],
  });
  const own = { kind, tools: ["read"], atMost: { tokens: 4_000 } };
  const having = named("plimsoll").map((policy) => ({ ...policy, name: "own", keep: [own, ...policy.keep] }));
  const swept = sweepPolicies([...named("none", "plimsoll"), ...having], ["keep.kept=10%,40%"], kinds);
  expect(swept.policies.map(({ name }) => name)).toEqual(["none", "plimsoll", "own", "own keep.kept=10%", "own keep.kept=40%"]);
  expect(swept.notes).toEqual(["--sweep: plimsoll has no one value named keep.kept: replayed as it is, beside the sweep."]);
  const { problems } = sweepPolicies(named("plimsoll"), ["keep.kept=10%,40%"], kinds);
  expect(problems).toEqual([
    expect.stringMatching(/^plimsoll keep\.kept=10%: no policy can have this value: missing key "tools"/),
  ]);
});
