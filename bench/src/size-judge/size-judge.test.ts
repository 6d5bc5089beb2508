import { type SessionEntry, usageOf } from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry } from "@plimsoll/core/extend";
import { human, summaryMessage } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { madeTokens, madeTranscript } from "../../testing/made-session.ts";
import { createSizeJudge, type SizeJudge } from "./size-judge.ts";

const PLAIN = madeTranscript({ turns: 6, toolCallsPerTurn: 5, resultChars: 900, overheadTokens: 3000 }).entries;
const WITH_BOUNDARY = madeTranscript({
  turns: 6,
  toolCallsPerTurn: 5,
  resultChars: 900,
  overheadTokens: 3000,
  boundaries: [3],
}).entries;

/** The model's prompt and the reported one at each call, following the recorded compactions. */
function promptsOf(entries: readonly SessionEntry[], model: SizeJudge): { modelled: number[]; reported: (number | null)[] } {
  let view = EMPTY_VIEW;
  const modelled: number[] = [];
  const reported: (number | null)[] = [];
  for (const entry of entries) {
    view = foldEntry(view, entry);
    const call = modelled.length;
    if (entry.type === "usage")
      modelled.push(
        view.messages
          .slice()
          .reduce((sum, each) => sum + model.messageTokens(each, call), model.nonMessageTokens(call, "recorded")),
      );
    if (entry.type === "usage") reported.push(entry.usage.input.totalTokens);
  }
  return { modelled, reported };
}

/** The entries with other reports: each call's prompt as a function of its number and its own report. */
function reporting(entries: readonly SessionEntry[], report: (call: number, tokens: number) => number | null): SessionEntry[] {
  let call = 0;
  return entries.map((entry) =>
    entry.type === "usage"
      ? { ...entry, usage: usageOf({ totalInputTokens: report(call++, entry.usage.input.totalTokens ?? 0) }) }
      : entry,
  );
}

describe("createSizeJudge", () => {
  test.each<[rule: string, entries: readonly SessionEntry[]]>([
    ["a session without compactions", PLAIN],
    ["a session with a compaction", WITH_BOUNDARY],
    ["a prompt that falls without a mark", reporting(PLAIN, (call, tokens) => tokens - (call >= 20 ? 4000 : 0))],
    ["a jump that goes away again", reporting(PLAIN, (call, tokens) => tokens + (call === 15 ? 60_000 : 0))],
    ["overhead that grows without a message", reporting(PLAIN, (call, tokens) => tokens + call)],
  ])("reproduces every report exactly: %s", (_rule, entries) => {
    const { modelled, reported } = promptsOf(entries, createSizeJudge(entries));
    expect(modelled).toEqual(reported);
  });

  test("what rises without a message and goes again is no lasting overhead, and takes nothing from the messages", () => {
    const jumping = createSizeJudge(reporting(PLAIN, (call, tokens) => tokens + (call === 15 ? 60_000 : 0)));
    const plain = createSizeJudge(PLAIN);
    expect(jumping.nonMessageTokens(15, "own")).toBeGreaterThan(50_000);
    for (const call of [16, 25])
      expect(jumping.nonMessageTokens(call, "own")).toBeLessThan(plain.nonMessageTokens(call, "own") + 8500);
  });

  test("finds the size of the messages and of the overhead", () => {
    const model = createSizeJudge(PLAIN);
    const results = PLAIN.flatMap((entry) =>
      entry.type === "message" && entry.message.role === "tool-result" ? [entry.message] : [],
    );
    for (const message of results.slice(0, -1)) {
      expect(Math.abs(model.messageTokens(message, 30) - madeTokens(message)) / madeTokens(message)).toBeLessThan(0.05);
    }
    expect(Math.abs(model.firstOverheadTokens - 3000)).toBeLessThan(30);
  });

  test("is right within one percent on calls that it was not fitted on", () => {
    const { error } = createSizeJudge(WITH_BOUNDARY);
    expect(error.heldOutCalls).toBeGreaterThan(15);
    expect(error.maxPercent).toBeLessThan(1);
  });

  test("prices a message of an engine's own by the fitted weights, and a shortened one by its share", () => {
    const model = createSizeJudge(PLAIN);
    const summary = summaryMessage("made-by-engine", "word ".repeat(400));
    expect(Math.abs(model.messageTokens(summary, 10) - madeTokens(summary)) / madeTokens(summary)).toBeLessThan(0.3);
    const original = PLAIN.flatMap((entry) =>
      entry.type === "message" && entry.message.id === "result-0-1" ? [entry.message] : [],
    )[0];
    const shortened = { ...(original ?? summary), parts: [{ type: "text", text: "gone" }] } as const;
    expect(model.messageTokens(shortened, 10)).toBeLessThan(40);
    expect(model.messageTokens(shortened, 10)).toBeGreaterThan(0);
  });

  test("a history of its own keeps the overhead from before a recorded compaction", () => {
    const entries = reporting(WITH_BOUNDARY, (call, tokens) => tokens + (call >= 18 ? 20_000 : 0));
    const model = createSizeJudge(entries);
    expect(model.nonMessageTokens(20, "recorded") - model.nonMessageTokens(2, "recorded")).toBeGreaterThan(19_000);
    expect(model.nonMessageTokens(20, "own")).toBe(model.nonMessageTokens(2, "own"));
  });

  test("what a fall takes is taken from the messages that were there, so that removing them removes it too", () => {
    const entries = reporting(PLAIN, (call, tokens) => tokens - (call >= 20 ? 4000 : 0));
    const model = createSizeJudge(entries);
    expect(model.nonMessageTokens(25, "own")).toBe(model.nonMessageTokens(5, "own"));
    const early = entries.flatMap((entry) =>
      entry.type === "message" && entry.message.id === "result-0-1" ? [entry.message] : [],
    );
    for (const message of early) expect(model.messageTokens(message, 25)).toBeLessThan(model.messageTokens(message, 5));
  });

  test.each<[rule: string, entries: readonly SessionEntry[]]>([
    ["none", reporting(WITH_BOUNDARY, () => null)],
    [
      "every third, in a session whose messages change their sizes",
      reporting(WITH_BOUNDARY, (call, tokens) => (call % 3 === 0 ? tokens - (call % 2) * 900 : null)),
    ],
  ])("a recorded request that was not reported is modelled: %s is", (_, entries) => {
    const model = createSizeJudge(entries);
    const { modelled, reported } = promptsOf(entries, model);
    expect(model.recordedPromptTokens).toEqual(modelled.map((tokens, call) => reported[call] ?? tokens));
  });

  test("without reports it counts four characters a token and says so", () => {
    const model = createSizeJudge(reporting(PLAIN, () => null));
    expect(model.isEstimated).toBe(true);
    expect(model.messageTokens(human("x", "a".repeat(400)), 0)).toBe(100);
    expect(model.error).toEqual({ heldOutCalls: 0, mapePercent: null, medianPercent: null, maxPercent: null });
  });
});
