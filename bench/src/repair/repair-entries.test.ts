import type { SessionEntry } from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry } from "@plimsoll/core/extend";
import {
  calling,
  compaction,
  human,
  logOf,
  replacedHistory,
  reply,
  result,
  summaryMessage,
  usageEntry,
} from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { CONTINUE_TEXT, repairEntries } from "./repair-entries.ts";

const hello = human("h", "hello");
const call = calling("c", ["1"]);
const answer = result("r", "1", "out");
const bye = reply("b", "bye");
/** A log's first request; the entry after it is its reply. */
const ASKED = [...logOf([hello]), usageEntry("u1", "h", 10)];
const said = (message: typeof hello | typeof call | typeof answer) => ({ type: "message", message }) as const;
const kinds = (entries: readonly SessionEntry[]) =>
  entries.map((entry) => (entry.type === "message" ? entry.message.id.slice(0, 8) : entry.type));

describe("repairEntries", () => {
  test("leaves a sound log as it is", () => {
    const entries = [...ASKED, said(call), said(answer), usageEntry("u2", "r", 20), said(bye)];
    const repaired = repairEntries(entries);
    expect(repaired.entries).toEqual(entries);
    expect(repaired.continuationCount).toBe(0);
  });

  test("keeps a usage entry right before its reply when a late result moves", () => {
    const entries = [...ASKED, said(call), usageEntry("u2", "c", 20), said(bye), said(answer)];
    expect(kinds(repairEntries(entries).entries)).toEqual(["session", "h", "usage", "c", "r", "usage", "b"]);
  });

  test("puts a notice where a call would go out right behind a reply", () => {
    const entries = [...ASKED, said(bye), usageEntry("u2", "b", 20), said(reply("d", "more"))];
    const { entries: repaired, continuationCount } = repairEntries(entries);
    const [asked, answered] = [
      ["session", "message", "usage"],
      ["message", "usage", "message"],
    ];
    expect(repaired.map((entry) => entry.type)).toEqual([...asked, "message", ...answered]);
    expect(repaired[4]).toMatchObject({ message: { origin: "notice", parts: [{ text: CONTINUE_TEXT }] } });
    expect(continuationCount).toBe(1);
  });

  test("gives each reply of a log without usage a call whose size was not reported", () => {
    const { entries } = repairEntries(logOf([hello, call, answer, bye]));
    expect(kinds(entries)).toEqual(["session", "h", "usage", "c", "r", "usage", "b"]);
  });

  test("mends what a recorded compaction left in view, with the same objects before and after it", () => {
    const kept = calling("c", ["1", "2"]);
    const boundary = compaction("x", [replacedHistory([summaryMessage("s", "so far"), kept, answer])]);
    const { entries } = repairEntries([...logOf([hello, kept, answer]), boundary, said(human("g", "go on"))]);
    const before = entries
      .slice(
        0,
        entries.findIndex((entry) => entry.type === "compaction"),
      )
      .reduce(foldEntry, EMPTY_VIEW)
      .messages.slice();
    const after = entries.reduce(foldEntry, EMPTY_VIEW).messages.slice();
    expect(after.map((message) => message.role)).toEqual(["user", "assistant", "tool-result", "tool-result", "user"]);
    expect(after.slice(1, 4).every((message, index) => message === before[index + 1])).toBe(true);
  });
});
