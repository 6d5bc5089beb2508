import { describe, expect, test } from "vitest";
import { klaudeCodeSizes } from "../../testing/klaude-code-sizes.ts";
import { lettered } from "../../testing/lettered.ts";
import { keptBrief } from "../../testing/shown-compaction.ts";
import { fires, triggerTokens } from "../budget.ts";
import { cutAtBoundary, cutKeeping } from "../cut-point.ts";
import type { Message } from "../message/message.ts";
import {
  KLAUDE_CODE_DOCUMENT_POLICY,
  KLAUDE_CODE_LENGTH_ESTIMATE,
  KLAUDE_CODE_POLICY,
  klaudeCodeTrigger,
} from "../policy/presets/klaude-code.ts";
import { PI_POLICY } from "../policy/presets/pi.ts";
import { SUMMARY_RULES } from "../prompts/parts.ts";
import { repairedSummary } from "../summarizer/usable.ts";
import { calling, human, humanImage, reply, result } from "../testing/builders.ts";
import { charsPerToken } from "../tokens/chars-per-token.ts";
import { createWorkCounter } from "../tokens/measure.ts";

const measure = charsPerToken(KLAUDE_CODE_LENGTH_ESTIMATE, createWorkCounter()).messageTokens;

describe("configuration", () => {
  test.each<[string, number | null, number | null, number, number, number]>([
    ["K-c1: no limit", null, null, 16_384, 20_000, 13_107],
    ["K-c1: 0", 0, null, 16_384, 20_000, 13_107],
    ["K-c1: 1,000,000", 1_000_000, null, 484_000, 20_000, 13_107],
    ["K-c1: 1,000,000 with 128,000 of output", 1_000_000, 128_000, 436_000, 20_000, 13_107],
    ["K-c1: 524,289", 524_289, null, 246_144, 20_000, 13_107],
    ["K-c1: 524,288", 524_288, null, 123_072, 20_000, 13_107],
    ["K-c1: 200,000", 200_000, null, 42_000, 20_000, 13_107],
    ["K-c1: 100,000", 100_000, null, 17_000, 20_000, 13_107],
    ["K-c1: 4,000", 4000, null, 1000, 3000, 1024],
    ["K-c1: 8,000", 8000, null, 2000, 4096, 1600],
    ["K-c1: 30,000", 30_000, null, 7500, 10_500, 6000],
  ])("%s", (_, limit, maxTokens, reserveTokens, keepTokens, maxSummaryTokens) => {
    expect(klaudeCodeSizes(limit, maxTokens)).toMatchObject({ reserveTokens, keepTokens, maxSummaryTokens });
  });

  test.each<[string, number | null, number]>([
    ["K-c2: no limit", null, 5000],
    ["K-c2: 0", 0, 5000],
    ["K-c2: 1,000,000", 1_000_000, 5000],
    ["K-c2: 200,000", 200_000, 5000],
    ["K-c2: 100,000", 100_000, 5000],
    ["K-c2: 4,000", 4000, 2048],
    ["K-c2: 8,000", 8000, 2048],
    ["K-c2: 30,000", 30_000, 2625],
  ])("%s", (_, limit, expected) => {
    expect(klaudeCodeSizes(limit, null).manualKeepTokens).toBe(expected);
  });

  test.each([
    ["K-c4: 32,768 compacts at three quarters, not at 576", 32_768, 24_576],
    ["K-c4: 30,000 compacts, not never", 30_000, 22_500],
  ])("%s", (_, windowTokens, expected) => {
    expect(triggerTokens(KLAUDE_CODE_POLICY.trigger, { windowTokens, inputBudgetTokens: windowTokens })).toBe(expected);
  });

  test.each([
    ["the document's reserve in a large window", 200_000, 183_616],
    ["the document's reserve in a small one", 32_000, 24_000],
  ])("%s", (_, windowTokens, lineTokens) => {
    const budget = { windowTokens, inputBudgetTokens: windowTokens };
    const { trigger } = KLAUDE_CODE_DOCUMENT_POLICY;
    expect([fires(trigger, lineTokens, budget), fires(trigger, lineTokens + 1, budget)]).toEqual([false, true]);
  });
});

describe("trigger", () => {
  const budget = { windowTokens: 200_000, inputBudgetTokens: 168_000 };
  test.each([
    ["K-t1: one below", KLAUDE_CODE_POLICY.trigger, 125_999, false],
    ["K-t1: the boundary", KLAUDE_CODE_POLICY.trigger, 126_000, true],
    ["K-t3: a fixed reserve, the boundary", klaudeCodeTrigger({ tokens: 16_384 }), 151_616, true],
    ["K-t3: one below", klaudeCodeTrigger({ tokens: 16_384 }), 151_615, false],
  ])("%s", (_, trigger, tokens, expected) => {
    expect(fires(trigger, tokens, budget)).toBe(expected);
  });
});

describe("estimates and cuts", () => {
  test.each<[string, Message, number]>([
    ["K-e1: 40 characters", human("a", "x".repeat(40)), 10],
    ["K-e1: 8 characters", human("a", "x".repeat(8)), 2],
    ["K-e1: an image", humanImage("a"), 300],
    ["K-e1: nothing", human("a", ""), 1],
  ])("%s", (_, message, expected) => {
    expect(measure(message)).toBe(expected);
  });

  const noted: Message = { role: "user", id: "d", origin: "injected", parts: [{ type: "text", text: "note" }], atMs: null };
  test.each<[string, readonly Message[], number, number]>([
    ["K-k1: never a result", [human("u", "go"), calling("a", ["c"]), result("r", "c", "x".repeat(5000))], 200, 1],
    ["K-k4: all fits", lettered("UAUA", 10), 20_000, 0],
    ["K-k4: a single giant message", lettered("U", 50_000), 20_000, 0],
    ["K-k5: a giant newest message is kept whole", lettered("UU", [10, 50_000]), 20_000, 1],
  ])("%s", (_, messages, keepTokens, expected) => {
    expect(cutAtBoundary(messages, cutKeeping(messages, { tokens: keepTokens }, measure), "next-safe")).toBe(expected);
  });

  test.each<[string, readonly Message[], number, number]>([
    ["K-k2: a result without its call is no beginning", [result("r", "x", "?"), human("u", "go")], 0, 1],
    [
      "K-k3: no call is left without its result",
      [human("u", "go"), calling("a", ["c1"]), noted, result("r", "c1", "1"), human("v", "and?")],
      2,
      4,
    ],
  ])("%s", (_, messages, wanted, expected) => {
    expect(cutAtBoundary(messages, wanted, "next-safe")).toBe(expected);
  });
});

describe("texts", () => {
  test("K-b1: a brief of what was kept", () => {
    const bash = (id: string, callId: string) => ({ ...result(id, callId, "ok"), toolName: "Bash" });
    const kept = [
      human("u", "  please run the build now  "),
      bash("r", "c"),
      bash("s", "d"),
      reply("a", "done building"),
      reply("b", "  "),
    ];
    expect(keptBrief(kept)).toEqual([
      { label: "User", count: 1, text: "please run the build now" },
      { label: "Bash", count: 2, text: "" },
      { label: "Assistant", count: 1, text: "done building" },
    ]);
    expect(keptBrief([human("u", "a".repeat(50))])[0]?.text).toBe(`${"a".repeat(30)}...`);
  });

  test("K-s1: instructions of the request are no constraints of the person", () => {
    const { sections } = KLAUDE_CODE_POLICY.summary;
    const leaked = SUMMARY_RULES.map((rule) => `- ${rule}`).join("\n");
    const text = sections
      .map(
        (title) =>
          `## ${title}\n- ${title} it is${title.startsWith("Constraints") ? `\n${leaked}\n- never touch the lock file` : ""}`,
      )
      .join("\n\n");
    const rules = { sections, coveredChars: 100_000, labels: PI_POLICY.summary.labels, instructions: SUMMARY_RULES };
    const repaired = repairedSummary({ text, usage: null, stopReason: "end" }, rules);
    expect(repaired.repairs).toEqual(["instruction-removed"]);
    expect(repaired.text).toContain("never touch the lock file");
    expect(SUMMARY_RULES.filter((rule) => repaired.text.includes(rule))).toEqual([]);
  });
});
