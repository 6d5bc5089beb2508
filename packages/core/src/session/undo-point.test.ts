import { expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import type { Message } from "../message/message.ts";
import {
  compaction,
  dropped,
  FAILED_ATTEMPT,
  human,
  logOf,
  reply,
  revertOf,
  summarized,
  summaryMessage,
  usageEntry,
} from "../testing/builders.ts";
import { EMPTY_VIEW, foldEntry, type Undo, undoPointOf, withoutUndoPoints } from "./view.ts";

const start = logOf([human("u1", "first"), reply("a1", "answer"), human("u2", "second"), reply("a2", "again")]);
const said = (message: Message): SessionEntry => ({ type: "message", message });
const first = compaction("first", [summarized(summaryMessage("s1", "summary"), ["u1", "a1"])]);
const second = compaction("second", [dropped("s1", "s1")]);

/** Returns the view that an undo would bring back. */
function broughtBack(undo: Undo): unknown {
  if (undo === null || undo === "archived") return undo;
  const { messages, viewHash, since } = undo;
  return { messages: messages.slice(), viewHash, since: since.slice() };
}

test.each<[string, readonly SessionEntry[]]>([
  ["nothing came since", [...start, first]],
  ["messages came since", [...start, first, said(human("u3", "third")), said(reply("a3", "yes"))]],
  ["what came since has half a character", [...start, first, said(human("u3", "\ud800."))]],
  ["what came before has half a character", [said(human("u0", "\udc00")), ...start, first]],
  ["other entries came since", [...start, first, usageEntry("request", "a2", 100), FAILED_ATTEMPT]],
  ["a compaction came before", [...start, first, said(human("u3", "third")), second, said(reply("a3", "yes"))]],
  ["a later one was undone", [...start, first, second, revertOf("second"), said(human("u3", "third"))]],
  [
    "an earlier one was undone",
    [...start, first, revertOf("first"), said(human("u3", "third")), compaction("c", [dropped("u1", "a1")])],
  ],
  ["the same one was undone and made again", [...start, first, revertOf("first"), said(human("u3", "third")), first]],
])("the undo point that is read off the log is the one that folding it keeps: %s", async (_, entries) => {
  const { undo, activeCompactions } = entries.reduce(foldEntry, EMPTY_VIEW);
  const read = await undoPointOf(activeCompactions.at(-1)?.id ?? "", async (onEntry) => entries.forEach(onEntry));
  expect(broughtBack(read.undo)).toEqual(broughtBack(undo));
  expect(read.activeCompactions).toEqual(activeCompactions);
});

test.each<[string, readonly SessionEntry[], Undo]>([
  ["no other compaction", [...start, first], null],
  ["a compaction that the log has, too", [...start, first, second], "archived"],
])("before it there is %s", async (_, entries, previous) => {
  const newest = entries.reduce(foldEntry, EMPTY_VIEW).activeCompactions.at(-1)?.id ?? "";
  expect((await undoPointOf(newest, async (onEntry) => entries.forEach(onEntry))).undo).toMatchObject({ previous });
});

test.each<[string, "newest" | "none"]>([
  ["a session at work", "newest"],
  ["a log that is opened", "none"],
])("of all but the newest two compactions the edits stay in the log: %s", (_, keep) => {
  const entries = [...start, first, second, compaction("third", [dropped("u2", "u2")])];
  const view = entries.reduce((folded, entry) => withoutUndoPoints(foldEntry(folded, entry), keep), EMPTY_VIEW);
  expect(view.activeCompactions.map(({ id, edits }) => [id, edits.length])).toEqual([
    ["first", 0],
    ["second", 1],
    ["third", 1],
  ]);
});
