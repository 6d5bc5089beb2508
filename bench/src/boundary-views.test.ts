import type { SessionEntry } from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry } from "@plimsoll/core/extend";
import { compaction, human, logOf, replacedHistory, reply, summaryMessage, usageEntry } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { boundaryViews, followedView } from "./boundary-views.ts";

const said = (message: ReturnType<typeof human> | ReturnType<typeof reply>): SessionEntry => ({ type: "message", message });
const CUT = compaction("x", [replacedHistory([summaryMessage("s", "so far"), human("k", "kept")])]);
const AGAIN = compaction("y", [replacedHistory([summaryMessage("t", "further")])]);
const LOG: readonly SessionEntry[] = [
  ...logOf([human("h", "hello"), reply("r", "yes")]),
  CUT,
  said(human("g", "go on")),
  usageEntry("u", "g", 10),
  said(reply("d", "done")),
  AGAIN,
  said(human("e", "end")),
];

test("a boundary has the messages of the whole log folded up to it", () => {
  const views = boundaryViews(LOG);
  expect([...views.keys()]).toEqual([CUT, AGAIN]);
  for (const [entry, messages] of views)
    expect(messages).toEqual(
      LOG.slice(0, LOG.indexOf(entry) + 1)
        .reduce(foldEntry, EMPTY_VIEW)
        .messages.slice(),
    );
});

test("the newest message is that of the fold behind every entry", () => {
  const view = followedView();
  const newest = LOG.map((entry) => {
    view.follow(entry);
    return view.newest();
  });
  expect(newest).toEqual(
    LOG.map((_, place) =>
      LOG.slice(0, place + 1)
        .reduce(foldEntry, EMPTY_VIEW)
        .messages.at(-1),
    ),
  );
});
