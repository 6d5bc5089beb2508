import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SVEN_POLICY } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { BUILT_IN_PARTS } from "../extension.ts";
import { choosePolicies, DEFAULT_POLICIES, findPolicy, joinPolicies, runningPolicies, withControls } from "./policy-option.ts";
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
    const problem = "sven (as published) has no fallback and may lose a call: it runs only in `plimsoll bench`";
    expect(findPolicy("sven (as published)", ".")).toEqual({ problems: [problem] });
  });

  test("suggests the file of that name", () => {
    const home = mkdtempSync(join(tmpdir(), "plimsoll-policy-"));
    writeFileSync(join(home, "roomy.yaml"), "extends: plimsoll\n");
    expect(findPolicy("roomy", home)).toEqual({ problems: ['unknown policy "roomy": did you mean roomy.yaml?'] });
    rmSync(home, { recursive: true });
  });

  test.each([
    ["claude-code", "claude-code exists only in bench, by its name; a file extends a preset"],
    ["svne", 'unknown preset "svne": did you mean sven?'],
  ])("a file that extends %s is given no preset of another agent", (base, why) => {
    const home = mkdtempSync(join(tmpdir(), "plimsoll-policy-"));
    writeFileSync(join(home, "mine.yaml"), `extends: ${base}\n`);
    expect(findPolicy("mine.yaml", home)).toEqual({ problems: [`mine.yaml:1:1: ${why}`] });
    rmSync(home, { recursive: true });
  });

  test("cannot be swept", () => {
    const { problems } = sweepPolicies([{ ...SVEN_POLICY, fallback: null }], ["keep.messages=2,4"]);
    expect(problems).toEqual([expect.stringContaining("it runs only in benchmarks")]);
  });

  test("of nobody is nobody's", () => {
    expect(choosePolicies(["svan (as published)"], ".").problems).toEqual([
      expect.stringContaining('unknown policy "svan (as published)"'),
    ]);
  });
});

test("what the agents do that wrote the files is replayed, too, each once", async () => {
  const home = mkdtempSync(join(tmpdir(), "plimsoll-running-"));
  try {
    const claude = { type: "user", uuid: "u", parentUuid: null, isSidechain: false, sessionId: "s", version: "2.1.200" };
    const LOGS = {
      "a.jsonl": JSON.stringify({ ...claude, message: { role: "user", content: "Go." } }),
      "b.jsonl": JSON.stringify({ ...claude, message: { role: "user", content: "Stop." } }),
      "c.jsonl": JSON.stringify({
        timestamp: "2026-03-10",
        type: "session_meta",
        payload: { id: "s", cli_version: "0.120.0" },
      }),
      "notes.jsonl": "no session",
    };
    const files = Object.keys(LOGS).map((name) => ({ path: join(home, name), displayName: name }));
    for (const [name, text] of Object.entries(LOGS)) writeFileSync(join(home, name), `${text}\n`);
    const gone = { path: join(home, "gone.jsonl"), displayName: "gone.jsonl" };
    const running = await runningPolicies([...files, gone], home, BUILT_IN_PARTS);
    expect(running.map(({ name }) => name)).toEqual(["claude-code", "codex"]);
    const joined = joinPolicies([SVEN_POLICY], [...running, SVEN_POLICY]);
    expect(joined.map(({ name }) => name)).toEqual(["sven", "claude-code", "codex"]);
  } finally {
    rmSync(home, { recursive: true });
  }
});

test("the documented systems have one name together, beside never compacting", () => {
  const names = choosePolicies(["documented", "plimsoll"], ".").policies.map(({ name }) => name);
  expect(names).toEqual(["none", "sven", "opal", "klaude-code", "pi", "plimsoll"]);
  expect(choosePolicies(DEFAULT_POLICIES, ".").policies.map(({ name }) => name)).toEqual(DEFAULT_POLICIES);
});

test("a person's own keep rule is replayed beside its control, which the run may have already", () => {
  const keep = [{ kind: "mine", atMost: { tokens: 1 } }, ...SVEN_POLICY.keep];
  const ruled = ["mine", "sven keep.mine=10%"].map((name) => ({ ...SVEN_POLICY, name, keep }));
  const namesOf = (policies: Parameters<typeof withControls>[0]) => withControls(policies).map(({ name }) => name);
  expect(namesOf(ruled)).toEqual(["mine", "mine keep.mine=off", "sven keep.mine=10%", "sven"]);
  expect(namesOf([...ruled, SVEN_POLICY])).toEqual(["mine", "sven keep.mine=10%", "sven"]);
});
