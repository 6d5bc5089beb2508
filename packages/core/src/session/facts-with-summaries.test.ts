import { describe, expect, test } from "vitest";
import { SMALL_POLICY, smallSession, turns } from "../../testing/small-session.ts";
import type { Policy } from "../policy/policy.ts";
import { assistant, human, result } from "../testing/builders.ts";

describe("facts", () => {
  const command = (id: string, callId: string, run: string) =>
    assistant(id, [{ type: "tool-call", callId, toolName: "bash", argumentsJson: `{"command":"${run}"}`, paths: [] }]);
  const failed = (id: string, callId: string, error: string) => ({ ...result(id, callId, error), isError: true });
  const history = [
    human("first", "Build the shed.\nUse oak only."),
    command("a", "c", "make"),
    failed("r", "c", "make: no rule"),
    command("b", "d", "lint"),
    failed("s", "d", "lint: 3 errors"),
    command("e", "f", "lint"),
    result("t", "f", "clean"),
    ...turns(8),
  ];

  test.each<[string, RegExp]>([
    ["pinned instructions", /<pinned-instructions>\nNever push\.\n<\/pinned-instructions>/],
    ["the first human message, word for word", /<first-request>\nBuild the shed\.\nUse oak only\.\n<\/first-request>/],
    ["the live state of ports", /<todo>\n1\. dig\n<\/todo>/],
    ["files of the tracker, with their state", /<modified-files>\nsrc\/oak\.ts version 3\n<\/modified-files>/],
    [
      "the last error of a command that fails still",
      /<last-errors>\nbash \{"command":"make"\}: make: no rule\n<\/last-errors>/,
    ],
  ])("are written with the summary: %s", async (_, text) => {
    const { fit, written } = smallSession(history, {
      pinned: ["Never push."],
      stateProviders: [() => ({ title: "todo", text: "1. dig" }), () => null],
      fileTracker: () => [{ path: "src/oak.ts", access: "modify", state: "version 3" }],
    });
    expect((await fit()).kind).toBe("compacted");
    expect(written()).toMatch(text);
    expect(written()).not.toContain("lint: 3 errors");
  });

  test("are written anew at each compaction, from the state as it is then", async () => {
    const todo = { text: "1. dig" };
    const { fit, append, written } = smallSession(history, { stateProviders: [() => ({ title: "todo", text: todo.text })] });
    await fit();
    todo.text = "2. build";
    append(...turns(6, 20));
    await fit();
    expect(written()).toContain("2. build");
    expect(written()).not.toContain("1. dig");
    expect(written().match(/<first-request>/g)).toHaveLength(1);
  });

  test("survive a strategy that summarises nothing", async () => {
    const policy: Policy = { ...SMALL_POLICY, strategies: [{ kind: "drop-oldest", amount: "all-but-keep", notice: "count" }] };
    const { fit, written } = smallSession(history, { policy, pinned: ["Never push."] });
    await fit();
    expect(written()).toMatch(/dropped.*Never push\..*Build the shed\./s);
  });

  test("are left out if the policy gives them no room", async () => {
    const { fit, written } = smallSession(history, {
      policy: { ...SMALL_POLICY, facts: { maxTokens: 0 } },
      pinned: ["Never push."],
    });
    await fit();
    expect(written()).not.toContain("Never push.");
  });
});
