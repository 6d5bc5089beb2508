import { PRESETS } from "@plimsoll/core";
import { expect, test } from "vitest";
import { sweepPolicies } from "./replay-options.ts";

const LINES = ["50%", "55%", "60%", "65%", "70%", "75%", "80%", "85%", "90%", "95%"];

test.each(PRESETS.filter(({ enabled }) => enabled).map((preset) => [preset.name, preset] as const))(
  "--sweep actAt=50%%..95%%:5%% turns the line of %s",
  (name, preset) => {
    const { policies, sweeps, problems } = sweepPolicies([preset], ["actAt=50%..95%:5%"]);
    expect(problems).toEqual([]);
    expect(policies.map((policy) => policy.name)).toEqual(LINES.map((line) => `${name} actAt=${line}`));
    expect(new Set(policies.map(({ trigger }) => JSON.stringify(trigger))).size).toBe(LINES.length);
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
  expect(policies.map(({ name }) => name)).toEqual(["none", "sven trigger.ratio=0.6", "sven trigger.ratio=0.75", "pi"]);
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
  expect(problems[0]).toContain("sven: sven trigger.ratio=2: no policy can have this value");
});
