import { PI_POLICY, type Policy, piPolicy, SVEN_POLICY, svenPolicy } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { readPolicySection } from "./read-policy-file.ts";
import { policyYaml, readDocument } from "./yaml-document.ts";

const read = (text: string) => {
  const parsed = readDocument(text);
  const result = "document" in parsed ? readPolicySection(parsed.document, "late.yaml") : null;
  return {
    policy: result !== null && "found" in result ? result.found.policy : null,
    problems: result !== null && "problems" in result ? result.problems : [],
    yaml: result !== null && "found" in result ? policyYaml(result.found) : "",
  };
};

/** The policy of the file `late.yaml`. */
const late = (policy: Policy) => ({ ...policy, name: "late" });

describe("a section of another system", () => {
  test.each([
    ["an empty section is the preset", "agent: {}", late(SVEN_POLICY)],
    [
      "sven's keys",
      "agent:\n  compaction_keep_recent: 15\n  tool_result_token_cap: 2000",
      late(svenPolicy({ compaction_keep_recent: 15, tool_result_token_cap: 2000 })),
    ],
    ["a name next to it", "name: mine\ncompaction: {}", { ...PI_POLICY, name: "mine" }],
    [
      "the Go agent's keys",
      "compaction:\n  enabled: true\n  context_window: 200000\n  reserve_tokens: 16384\n  keep_recent_tokens: 20000",
      late(piPolicy({ context_window: 200_000 })),
    ],
    ["the Go agent's window at the top", "context_window: 100000\ncompaction: {}", late(piPolicy({ context_window: 100_000 }))],
    [
      "zero is passed over",
      "context_window: 100000\ncompaction: { context_window: 0 }",
      late(piPolicy({ context_window: 100_000 })),
    ],
    [
      "its own window comes first",
      "context_window: 100000\ncompaction: { context_window: 50000 }",
      late(piPolicy({ context_window: 50_000 })),
    ],
  ])("%s", (_, text, expected) => {
    expect(read(text)).toMatchObject({ problems: [], policy: expected });
  });

  test.each([
    ["both", "agent: {}\ncompaction: {}", ":2:1: agent (line 1) and compaction (line 2) both choose a policy; keep one"],
    [
      "a policy next to a section",
      "agent: {}\npolicy: sven",
      ":1:1: policy (line 2) and agent (line 1) both choose a policy; keep one",
    ],
    [
      "an unknown key",
      "agent:\n  compaction_treshold: 0.8",
      ':2:3: unknown key "compaction_treshold": did you mean compaction_threshold?',
    ],
    [
      "a value out of bounds",
      "agent:\n  compaction_threshold: 2",
      ":2:3: compaction_threshold: Too big: expected number to be <=1",
    ],
    [
      "something else next to it",
      "agent: {}\nkeep: { messages: 3 }",
      ':2:1: "keep" cannot be next to agent; the file may hold name there',
    ],
    [
      "a window that the reserve fills",
      "compaction:\n  context_window: 8000",
      ":1:1: context_window (8000 tokens) is not larger than reserve_tokens (16384 tokens)",
    ],
  ])("names %s", (_, text, problem) => {
    expect(read(text)).toEqual({ policy: null, problems: [`late.yaml${problem}`], yaml: "" });
  });

  test("says where each value comes from", () => {
    const lines = read("agent:\n  compaction_threshold: 0.8\n  compaction_keep_recent: 9").yaml.split("\n");
    expect(lines).toContain("name: late # file name");
    expect(lines).toContain("    messages: 9 # late.yaml:3");
    expect(lines).toContain("  maxTokens: 4096 # preset sven");
    expect(lines.find((line) => line.includes("ratio: 0.69"))).toContain("# late.yaml:2");
  });

  test("a file without one is left to others", () => {
    expect(read("policy: sven")).toEqual({ policy: null, problems: [], yaml: "" });
  });
});
