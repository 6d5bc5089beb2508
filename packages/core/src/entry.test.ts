import { describe, expect, test } from "vitest";
import { type AppliedEdit, entryIdOf, loggedLimits, messagesWrittenBy, type SessionEntry } from "./entry.ts";
import {
  compaction,
  dropped,
  FAILED_ATTEMPT,
  human,
  replacedHistory,
  replacedPart,
  revertOf,
  sessionStart,
  summarized,
  summaryMessage,
  usageEntry,
} from "./testing/builders.ts";

const SUMMARY = summaryMessage("s", "Summary.");

describe("the id by which other entries name", () => {
  test.each<[string, SessionEntry, string]>([
    ["a message is the message's", { type: "message", message: human("m", "Hi.") }, "m"],
    ["a report is its request's", usageEntry("r", "m", 9), "r"],
    ["a start is its own", { ...sessionStart(), id: "start" }, "start"],
    ["a compaction is its own", compaction("c", []), "c"],
    ["an attempt is its own", FAILED_ATTEMPT, "attempt"],
    ["an undo is its own", revertOf("c", "undo"), "undo"],
    ["another setup is its own", { type: "setup-change", id: "setup", system: "", tools: [], atMs: null }, "setup"],
    ["another model is its own", { type: "model-change", id: "model", modelId: "x", limits: null, atMs: null }, "model"],
  ])("%s", (_, entry, id) => {
    expect(entryIdOf(entry)).toBe(id);
  });
});

describe("messages that an edit put into the context are", () => {
  test.each<[string, AppliedEdit, readonly unknown[]]>([
    ["the summary of spans", summarized(SUMMARY, ["a", "b"]), [SUMMARY]],
    ["none for spans that went without a word", dropped("a", "b"), []],
    ["all of a history that was supplied", replacedHistory([human("a", "Hi."), SUMMARY]), [human("a", "Hi."), SUMMARY]],
    ["none for a part", replacedPart("a", 0, { type: "text", text: "[cleared]" }), []],
  ])("%s", (_, edit, messages) => {
    expect(messagesWrittenBy(edit)).toEqual(messages);
  });
});

test("a log keeps the limits in tokens alone", () => {
  const limits = { contextWindowTokens: 200, maxOutputTokens: null };
  expect(loggedLimits({ ...limits, request: {} })).toEqual(limits);
});
