import { SVEN_POLICY } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { choosePolicies, findPolicy } from "./policy-option.ts";
import { sweepPolicies } from "./replay-options.ts";

describe("a policy as published", () => {
  test("runs in a benchmark next to the preset, without its fallback", () => {
    const { policies, problems } = choosePolicies(["sven", "sven (as published)", "codex (as published)"], ".");
    expect(problems).toEqual([]);
    expect(policies.map(({ name, fallback }) => [name, fallback === null])).toEqual([
      ["sven", false],
      ["sven (as published)", true],
      ["codex (as published)", true],
    ]);
  });

  test("is not to be had elsewhere, and a line says why", () => {
    const problem = "sven (as published) has no fallback and may lose a call: it runs in `plimsoll bench` alone";
    expect(findPolicy("sven (as published)", ".")).toEqual({ problems: [problem] });
  });

  test("cannot be swept", () => {
    const { problems } = sweepPolicies([{ ...SVEN_POLICY, fallback: null }], ["keep.messages=2,4"]);
    expect(problems).toEqual([expect.stringContaining("it runs in benchmarks alone")]);
  });

  test("of nobody is nobody's", () => {
    expect(choosePolicies(["svan (as published)"], ".").problems).toEqual([expect.stringContaining('unknown policy "svan"')]);
  });
});
