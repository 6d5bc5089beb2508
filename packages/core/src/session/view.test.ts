import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModelChangeEntry, SessionEntry } from "../entry.ts";
import type { Message } from "../message/message.ts";
import { arbitraryValidMessages } from "../testing/arbitrary-transcript.ts";
import {
  calling,
  compaction,
  dropped,
  FAILED_ATTEMPT,
  human,
  logOf,
  replacedHistory,
  reply,
  result,
  revertOf,
  sessionStart,
  summarized,
  summaryMessage,
  usageEntry,
} from "../testing/builders.ts";
import { EMPTY_VIEW, foldEntry, foldUnhashed, type SessionView } from "./view.ts";

const foldEntries = (entries: readonly SessionEntry[]) => entries.reduce(foldEntry, EMPTY_VIEW);

const u1 = human("u1", "first");
const a1 = reply("a1", "answer");
const u2 = human("u2", "second");
const a2 = calling("a2", ["c"]);
const r = result("r", "c", "done");
const u3 = human("u3", "third");
const start = logOf([u1, a1, u2, a2, r]);
const said = (message: Message): SessionEntry => ({ type: "message", message });
const summaryOne = summaryMessage("s1", "summary");
const summaryTwo = summaryMessage("s2", "summary of the summary");
const firstCut = compaction("compaction-1", [summarized(summaryOne, ["u1", "a1"])]);
const secondCut = compaction("compaction-2", [summarized(summaryTwo, ["s1", "u2"])]);
const [undo1, undo2] = [revertOf("compaction-1"), revertOf("compaction-2")];
const idsOf = (view: SessionView) => view.messages.slice().map((message) => message.id);

describe("the fold of a log", () => {
  test.each<[string, readonly SessionEntry[], string]>([
    ["appended messages in order", start, "u1 a1 u2 a2 r"],
    ["P-19: a compaction edits what is there", [...start, firstCut], "s1 u2 a2 r"],
    ["P-16: what comes after a compaction comes after it", [...start, firstCut, said(u3)], "s1 u2 a2 r u3"],
    ["P-17: a second compaction builds on the first", [...start, firstCut, said(u3), secondCut], "s2 a2 r u3"],
    [
      "messages appended while a summary was written stay behind it",
      [...start, said(u3), compaction("late", [summarized(summaryOne, ["u1", "r"])], "r")],
      "s1 u3",
    ],
    ["a revert brings back what was summarised", [...start, firstCut, undo1], "u1 a1 u2 a2 r"],
    ["a revert keeps the rest", [...start, firstCut, said(u3), undo1], "u1 a1 u2 a2 r u3"],
    ["a revert of the second leaves the first", [...start, firstCut, said(u3), secondCut, undo2], "s1 u2 a2 r u3"],
    ["both reverted, the newest first", [...start, firstCut, said(u3), secondCut, undo2, undo1], "u1 a1 u2 a2 r u3"],
    ["another compaction after a revert", [...start, firstCut, undo1, compaction("again", [dropped("u1", "u2")])], "a2 r"],
    ["P-18: a compaction of another agent", [...start, compaction("b", [replacedHistory([summaryOne, r])])], "s1 r"],
    ["usage moves no message", [...start, usageEntry("request", "r", 100)], "u1 a1 u2 a2 r"],
  ])("%s", (_, entries, ids) => {
    expect(idsOf(foldEntries(entries)).join(" ")).toBe(ids);
    expect(idsOf(entries.reduce(foldUnhashed, EMPTY_VIEW)).join(" ")).toBe(ids);
  });

  test("says what is sent before the messages", () => {
    const tools = [{ name: "read", description: "reads", parametersJson: "{}" }];
    const view = foldEntries([{ ...sessionStart("be brief"), tools }]);
    expect([view.sessionId, view.system, view.tools]).toEqual(["session-1", "be brief", tools]);
  });

  test("says which model is in use and what it takes", () => {
    const limits = { contextWindowTokens: 200_000, maxOutputTokens: 64_000 };
    const change: ModelChangeEntry = { type: "model-change", id: "change", modelId: "other", limits, atMs: null };
    const view = foldEntries([...start, usageEntry("request", "r", 100), change]);
    expect([view.modelId, view.limits]).toEqual(["other", limits]);
    const reported = foldEntry(view, usageEntry("next", "r", 100));
    expect([reported.modelId, reported.limits]).toEqual(["test/model", limits]);
  });

  test("a new setup takes the place of what was sent before the messages, and of nothing else", () => {
    const tools = [{ name: "read", description: "reads", parametersJson: "{}" }];
    const before = foldEntries(start);
    const after = foldEntry(before, { type: "setup-change", id: "setup", system: "be brief", tools, atMs: null });
    expect(after).toEqual({ ...before, system: "be brief", tools, lastEntryId: "setup" });
  });

  test("an attempt changes nothing that is sent", () => {
    const before = foldEntries(start);
    expect(foldEntry(before, FAILED_ATTEMPT)).toEqual({ ...before, lastEntryId: "attempt" });
  });

  test("an empty log has nothing to send", () => {
    const { sessionId, system, viewHash, lastEntryId } = foldEntries([]);
    expect([sessionId, system, viewHash, lastEntryId]).toEqual([null, "", "", null]);
  });

  test.each<[string, SessionEntry, string]>([
    ["a message", said(u3), "u3"],
    ["a usage report", usageEntry("request", "r", 100), "request"],
    ["a compaction", firstCut, "compaction-1"],
  ])("remembers the id of its last entry: %s", (_, entry, id) => {
    expect(foldEntries([...start, entry]).lastEntryId).toBe(id);
  });

  test("keeps the identity of messages that no edit touched", () => {
    const view = foldEntries([...start, firstCut]);
    expect([view.messages.at(1) === u2, view.messages.at(-1) === r]).toEqual([true, true]);
  });

  test("counts the active compactions", () => {
    const view = foldEntries([...start, firstCut, secondCut, revertOf("compaction-2")]);
    expect(view.activeCompactions).toEqual([firstCut]);
    const third = compaction("compaction-3", [dropped("s2", "s2")]);
    const three = foldEntries([...start, firstCut, secondCut, third, revertOf("compaction-3")]);
    expect(three.activeCompactions).toEqual([firstCut, secondCut]);
  });

  test.each<[string, readonly SessionEntry[], string]>([
    ["none", [], "the latest active one is none"],
    ["another one", [firstCut], "the latest active one is compaction-1"],
  ])("a revert that finds %s says so", (_, entries, said) => {
    const revert = () => foldEntries([...start, ...entries, revertOf("compaction-2")]);
    expect(revert).toThrow(said);
    expect(revert).toThrowError(expect.objectContaining({ details: { compactionId: "compaction-2" } }));
  });
});

describe("the hash of a view", () => {
  const hashOf = (entries: readonly SessionEntry[]) => foldEntries(entries).viewHash;

  test("is back after a revert", () => {
    expect(hashOf([...start, firstCut, revertOf("compaction-1")])).toBe(hashOf(start));
    expect(hashOf([...start, firstCut, said(u3), revertOf("compaction-1")])).toBe(hashOf([...start, said(u3)]));
  });

  test("changes with each message and each compaction", () => {
    const otherCut = { ...firstCut, id: "other" };
    const more = [[], [said(u3)], [firstCut], [firstCut, said(u3)], [otherCut], [said(u3), firstCut]];
    expect(new Set(more.map((entries) => hashOf([...start, ...entries]))).size).toBe(6);
  });

  test("does not change with a usage report", () => {
    expect(hashOf([...start, usageEntry("request", "r", 100)])).toBe(hashOf(start));
  });
});

describe("folding", () => {
  test("a compaction and its revert leave what was there, and what came since", () => {
    fc.assert(
      fc.property(arbitraryValidMessages, fc.nat(), fc.nat(), (messages, first, second) => {
        const [from = 0, through = 0] = [first % messages.length, second % messages.length].sort((left, right) => left - right);
        const cut = compaction("cut", [dropped(messages[from]?.id ?? "", messages[through]?.id ?? "")]);
        const log = [...logOf(messages), cut, said(u3)];
        expect(foldEntries(log).messages.slice()).toEqual([...messages.slice(0, from), ...messages.slice(through + 1), u3]);
        expect(foldEntries([...log, revertOf("cut")]).messages.slice()).toEqual([...messages, u3]);
      }),
      { numRuns: 40 },
    );
  });

  test("leaves older views as they were", () => {
    const before = foldEntries(start);
    foldEntry(before, said(u3));
    foldEntry(before, firstCut);
    expect(idsOf(before)).toEqual(["u1", "a1", "u2", "a2", "r"]);
  });

  test("two continuations of one view do not disturb each other", () => {
    const stem = foldEntries(start);
    const left = foldEntry(stem, said(u3));
    const right = foldEntry(stem, said(human("other", "otherwise")));
    expect([left.messages.at(-1)?.id, right.messages.at(-1)?.id]).toEqual(["u3", "other"]);
  });
});

test.each<[string, readonly SessionEntry[], string]>([
  ["a revert without a compaction", [...start, undo1], "bad-session"],
  ["a revert of a compaction that is not the latest", [...start, firstCut, secondCut, undo1], "bad-session"],
  ["a second revert of the same", [...start, firstCut, undo1, undo1], "bad-session"],
  ["a compaction of messages that are not there", [...start, secondCut], "bad-edit"],
])("the fold refuses %s", (_, entries, code) => {
  expect(() => foldEntries(entries)).toThrowError(expect.objectContaining({ code }));
});

describe("a view whose undo point is in the log alone", () => {
  const archived: SessionView = { ...foldEntries([...start, firstCut]), undo: "archived" };

  test("takes messages, and keeps none of them twice", () => {
    const after = foldEntry(archived, said(u3));
    expect([idsOf(after), after.undo]).toEqual([["s1", "u2", "a2", "r", "u3"], "archived"]);
  });

  test("is not undone before it is read back", () => {
    expect(() => foldEntry(archived, undo1)).toThrowError(
      expect.objectContaining({ code: "bad-session", details: { compactionId: "compaction-1" } }),
    );
  });
});
