import type { Message, SessionEntry } from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry } from "@plimsoll/core/extend";
import { expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { recordedCalls } from "./recorded-calls.ts";

const MADE = { turns: 6, toolCallsPerTurn: 2, resultChars: 200, overheadTokens: 1000 };

/** The views that a fold of every entry gives: at each call, all that it sent. */
function foldedViews(entries: readonly SessionEntry[]): readonly (readonly Message[])[] {
  let view = EMPTY_VIEW;
  return entries.flatMap((entry) => {
    view = foldEntry(view, entry);
    return entry.type === "usage" ? [[...view.messages]] : [];
  });
}

const compacted = madeTranscript({ ...MADE, boundaries: [2, 4] }).entries;
const compactionIds = compacted.flatMap((entry) => (entry.type === "compaction" ? [entry.id] : []));

test.each<[string, readonly SessionEntry[]]>([
  ["without a compaction", madeTranscript(MADE).entries],
  ["with two", compacted],
  [
    "with one that was taken back",
    compacted.flatMap((entry): readonly SessionEntry[] =>
      entry.type === "compaction" && entry.id === compactionIds[1]
        ? [entry, { type: "revert", id: "revert", compactionId: entry.id, atMs: null }]
        : [entry],
    ),
  ],
  [
    "with half a character",
    compacted.map((entry) =>
      entry.type === "message" && entry.message.role === "user"
        ? { ...entry, message: { ...entry.message, parts: [{ type: "text" as const, text: "half \ud83d" }] } }
        : entry,
    ),
  ],
])("the calls of a log %s sent what a fold of all of it gives", (_, entries) => {
  const views = foldedViews(entries);
  let sent: readonly Message[] = [];
  const calls = recordedCalls(entries);
  expect(calls).toHaveLength(views.length);
  for (const [at, { newMessages, epochStart }] of calls.entries()) {
    sent = epochStart === null ? [...sent, ...newMessages] : newMessages;
    expect(sent).toEqual(views[at]);
  }
});
