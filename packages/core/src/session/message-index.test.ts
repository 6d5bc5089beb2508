import { describe, expect, test } from "vitest";
import type { AppliedEdit, SessionEntry } from "../entry.ts";
import type { Message } from "../message/message.ts";
import {
  compaction,
  dropped,
  human,
  indexOf,
  logOf,
  replacedHistory,
  replacedPart,
  reply,
  summarized,
  summaryMessage,
  usageEntry,
} from "../testing/builders.ts";
import { createMessageIndex, type LogPlaces } from "./recall.ts";

const [u0, a1, u2, a3] = [human("u0", "first"), reply("a1", "answer"), human("u2", "second"), reply("a3", "done")];
const log = logOf([u0, a1, u2, a3]);
const [s, t] = [summaryMessage("s", "summary"), summaryMessage("t", "summary of the summary")];
const emptied = replacedPart("u2", 0, { type: "text", text: "" });
const twoParts = { ...u2, parts: [...u2.parts, ...u2.parts] };

describe("where in the log a message is", () => {
  test.each<[string, readonly SessionEntry[], string, LogPlaces | undefined]>([
    ["an appended one: its own place", [], "u2", at(2)],
    ["entries between messages are not counted", [usageEntry("q", "a3", 9), ...logOf([human("u4", "third")])], "u4", at(4)],
    ["the first of two with one id", logOf([human("u0", "again")]), "u0", at(0)],
    ["a summary: what it covers", made(summarized(s, ["a1", "u2"])), "s", at(1, 2)],
    ["a summary of two spans: from the first to the last", made(summarized(s, ["u0", "u0"], ["a3", "a3"])), "s", at(0, 3)],
    ["a summary of one: what that covers", made(summarized(s, ["a1", "u2"]), summarized(t, ["s", "a3"])), "t", at(1, 3)],
    ["a span that ends at an unknown message: where it begins", made(summarized(s, ["u2", "x"])), "s", at(2)],
    ["a span of unknown messages: the beginning", made(summarized(s, ["x", "y"])), "s", at(0)],
    ["a summary of no span: the beginning", made(summarized(s)), "s", at(0)],
    ["in a new history, one that nobody appended: that of the one before it", [history(u2, s)], "s", at(2)],
    ["the beginning, if it is the first", [history(s, u2)], "s", at(0)],
    ["in a new history, an appended one keeps its own", [history(s, u2)], "u2", at(2)],
    ["one that nobody wrote", [], "missing", undefined],
    ["a drop without a notice writes none", made(dropped("u0", "a1")), "null", undefined],
  ])("%s", (_, more, messageId, places) => {
    expect(indexOf([...log, ...more]).placesOf(messageId)).toEqual(places);
  });
});

describe("a message by its id", () => {
  test.each<[string, readonly SessionEntry[], string, Message | undefined]>([
    ["an appended one", [], "u2", u2],
    ["a summary", made(summarized(s, ["u0", "a1"])), "s", s],
    ["what a later edit wrote", [compaction("c", [summarized(s, ["u0", "a1"]), emptied, dropped("u2", "u2", t)])], "t", t],
    ["what an edit wrote after a new history", [compaction("c", [replacedHistory([u2, s]), dropped("u2", "u2", t)])], "t", t],
    ["the second of a new history", [history(s, t)], "t", t],
    ["the first of two with one id, also if an edit wrote the other", made(summarized({ ...s, id: "u0" })), "u0", u0],
    ["as it was appended, if a new history shortened it", [history({ ...u2, parts: [{ type: "text", text: "" }] })], "u2", u2],
    ["as a new history has it, if that has other parts", [history(twoParts)], "u2", twoParts],
    ["one that nobody wrote", [], "missing", undefined],
  ])("%s", async (_, more, messageId, message) => {
    expect(await indexOf([...log, ...more]).find(messageId)).toEqual(message);
  });
});

describe("an appended message by its place", () => {
  test.each<[string, number, Message | undefined]>([
    ["the first", 0, u0],
    ["the last", 3, a3],
    ["none behind it", 4, undefined],
    ["none before the first", -1, undefined],
  ])("%s", async (_, place, message) => {
    expect(await indexOf([...log, compaction("c", [summarized(s, ["u0", "a1"])])]).at(place)).toEqual(message);
  });

  test("a place that is not there reads no entry", async () => {
    const read: number[] = [];
    const index = createMessageIndex(async (at) => {
      read.push(at);
      return log[at];
    });
    for (const [place, entry] of log.entries()) index.add(entry, place);
    await index.at(4);
    await index.at(1);
    expect(read).toEqual([2]);
  });
});

function at(first: number, last = first): LogPlaces {
  return { first, last };
}

function made(...edits: readonly AppliedEdit[]): readonly SessionEntry[] {
  return edits.map((edit, place) => compaction(`c${place}`, [edit]));
}

function history(...messages: readonly Message[]): SessionEntry {
  return compaction("c", [replacedHistory(messages)]);
}
