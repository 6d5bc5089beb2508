import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { definePolicy } from "../policy/written-policy.ts";
import { loadPolicy } from "./read-policy-file.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-load-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const load = (text: string, file = "plimsoll.yaml") => {
  const path = join(folder, file);
  writeFileSync(path, text);
  return loadPolicy(path);
};

const KNOBS_FILE = `# what my agent does
extends: sven
actAt: 75%
keep:
  recent: 12 messages
  human: 20k
writer: none
cap: 8k
facts: { maxTokens: 500 }
`;

describe("a policy file", () => {
  test("says the same as code does", () => {
    const { policy } = load(KNOBS_FILE);
    const keep = { recent: "12 messages", human: "20k" };
    const written = { extends: "sven", actAt: "75%", keep, writer: "none", cap: "8k", facts: { maxTokens: 500 } };
    expect(policy).toEqual({ ...definePolicy(written), name: "sven (plimsoll.yaml)" });
  });

  test.each([
    ["trigger.atLeast.ratio", "plimsoll.yaml:3"],
    ["keep.0.messages", "plimsoll.yaml:5"],
    ["keep.1.atMost.tokens", "plimsoll.yaml:6"],
    ["strategies.0.writer", "plimsoll.yaml:7"],
    ["truncation.capTokens", "plimsoll.yaml:8"],
    ["facts.maxTokens", "plimsoll.yaml:9"],
    ["summary.maxTokens", "preset sven"],
    ["gates.countPending", "preset sven"],
  ])("explains where %s comes from", (path, origin) => {
    expect(load(KNOBS_FILE).explain(path)).toBe(origin);
  });

  test.each([
    ["without a preset turns the default's knobs", "actAt: 60%\n", { actAt: "60%" }],
    ["may have all of it under policy", "policy:\n  extends: sven\n  cap: off\n", { extends: "sven", cap: "off" }],
    ["may name another model there", "policy: { model: m 100k }\n", { model: "m 100k" }],
    ["may hold a session's settings", "model: opus\nmax_steps: 3\nextends: pi\nactAt: 80%\n", { extends: "pi", actAt: "80%" }],
    ["may say policy for extends", "policy: pi\nactAt: 80%\n", { extends: "pi", actAt: "80%" }],
  ])("%s", (_, text, written) => {
    expect({ ...load(text).policy, name: "" }).toEqual({ ...definePolicy(written), name: "" });
  });

  test.each([
    ["a knob's value", "extends: sven\nactAt: soon\n", "plimsoll.yaml:2:1: actAt: give a share, as 75%, or a size, as 150k"],
    ["a rule's value", "keep:\n  recent: some\nextends: pi\n", "plimsoll.yaml:2:3: keep.recent: give a share"],
    ["a mistyped knob", "extends: sven\nactsAt: 75%\n", 'plimsoll.yaml:2:1: unknown key "actsAt": did you mean actAt?'],
    ["an unknown preset", "extends: svne\n", 'plimsoll.yaml:1:1: unknown preset "svne": did you mean sven?'],
    ["an unknown preset below", "policy:\n  extends: svne\n", "plimsoll.yaml:2:3: unknown preset"],
    ["two presets", "policy: sven\nextends: pi\n", "plimsoll.yaml:2:1: policy and extends both name a preset"],
    ["a mistyped value below a knob", "extends: sven\nfacts: { maxToken: 3 }\n", "plimsoll.yaml:2:10: unknown key"],
  ])("refuses %s with its place", (_, text, line) => {
    expect(() => load(text)).toThrow(line);
  });

  test("tells all that is wrong at once", () => {
    expect(() => load("extends: sven\nactAt: soon\ncap: much\n")).toThrow(/:2:1: actAt.*\(and 1 more: plimsoll.yaml:3:1: cap/);
  });

  test("that is not there is named", () => {
    expect(() => loadPolicy(join(folder, "none.yaml"))).toThrow("none.yaml: cannot be read");
  });
});
