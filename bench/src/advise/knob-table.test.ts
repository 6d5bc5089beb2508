import { readFileSync } from "node:fs";
import { BUILT_IN_KINDS, policySchema } from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import type { LocatedAgent } from "../formats/locations.ts";
import type { KnobValue } from "./agent-knobs.ts";
import { KNOB_TABLE, knobsOf } from "./knob-table.ts";

const WINDOW_TOKENS = 1_000_000;

describe.each(KNOB_TABLE)("$title $version", ({ knobs, replay: { grid, likeness, unlike } }) => {
  const points = [new Map(), ...grid(WINDOW_TOKENS)];

  test("is a valid policy at each point, under a name of its own", () => {
    const policies = points.map(likeness);
    expect(policies.map((policy) => policySchema(BUILT_IN_KINDS).safeParse(policy).error?.issues ?? [])).toEqual(
      policies.map(() => []),
    );
    expect(new Set(policies.map(({ name }) => name)).size).toBe(points.length);
  });

  test("is another policy at each point", () => {
    const bodies = points.map((values) => JSON.stringify({ ...likeness(values), name: "" }));
    expect(new Set(bodies).size).toBe(points.length);
  });

  test("turns nothing but its knobs, and can be replayed there", () => {
    const paths = knobs.map(({ path }) => path);
    expect(grid(WINDOW_TOKENS).flatMap((values) => [...values.keys()].filter((path) => !paths.includes(path)))).toEqual([]);
    expect(points.map(unlike)).toEqual(points.map(() => null));
  });
});

test.each<readonly [string, LocatedAgent, readonly (readonly [string, KnobValue])[]]>([
  ["Codex with another scope", "codex", [["model_auto_compact_token_limit_scope", "body_after_prefix"]]],
  ["pi without compaction", "pi", [["compaction.enabled", false]]],
  ["OpenCode without compaction", "opencode", [["compaction.auto", false]]],
  ["Claude Code without compaction", "claude-code", [["autoCompactEnabled", false]]],
  ["Claude Code with a share of its own", "claude-code", [["env.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE", "70"]]],
])("no replay is like %s", (_, agent, values) => {
  expect(knobsOf(agent, null)?.replay.unlike(new Map(values))).toMatch(/\S/);
});

test.each([
  ["opencode", null, "compaction.reserved"],
  ["opencode", "1.18.33", "compaction.reserved"],
  ["opencode", "2.0.0", "compaction.buffer"],
  ["opencode", "10.1.0", "compaction.buffer"],
] as const)("%s %s has the knob %s", (agent, version, path) => {
  expect(knobsOf(agent, version)?.knobs.map((knob) => knob.path)).toContain(path);
});

test("an agent without knobs has none", () => {
  expect(knobsOf("cline", null)).toBeNull();
});

test.each(KNOB_TABLE)("$title $version says in a person's words why none is proposed", ({ nothingToTurn }) => {
  expect(nothingToTurn).not.toMatch(/knob|turn/);
  expect(nothingToTurn.length).toBeGreaterThan(30);
});

test("Claude Code has nothing to turn in a window of 200,000, and is never told a smaller one", () => {
  const grid = knobsOf("claude-code", null)?.replay.grid;
  expect(grid?.(200_000)).toEqual([]);
  expect(
    grid?.(1_000_000)
      .flatMap((values) => [...values.values()])
      .toSorted(),
  ).toEqual([200_000, 300_000, 400_000, 600_000, 800_000]);
});

test.each(KNOB_TABLE)("the documentation has all knobs of $title $version", ({ title, version, knobs }) => {
  const text = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");
  const row = text.split("\n").find((line) => line.startsWith(`| ${title}`) && line.includes(` ${version}, `)) ?? "";
  expect(knobs.map(({ path }) => path.split("env.").at(-1) ?? path).filter((path) => !row.includes(`\`${path}\``))).toEqual([]);
});
