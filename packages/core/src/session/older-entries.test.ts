import { expect, test } from "vitest";
import { compaction, summaryMessage } from "../testing/builders.ts";
import { decodeEntry, encodeEntry } from "./codec.ts";

const covered = { messages: 2, parts: 2, chars: 9 };
const message = summaryMessage("s", "what happened");
const span = { from: "a", through: "b" };
const older = (edit: unknown) => JSON.stringify({ ...compaction("c", []), edits: [edit] });
const place = { file: "log", line: 1 };
const edits = (line: string) => {
  const entry = decodeEntry(line, place);
  return entry.type === "compaction" ? entry.edits : expect.fail("no compaction");
};

test.each([
  [
    "a model's summary",
    {
      kind: "summarize",
      spans: [{ ...span, promptId: "checkpoint" }],
      message,
      covered,
      usage: null,
      prompts: ["checkpoint@1"],
    },
    { by: "summary", spans: [{ ...span, promptId: "checkpoint" }], message, prompts: ["checkpoint@1"] },
  ],
  [
    "a digest",
    { kind: "summarize", spans: [{ ...span, promptId: "digest" }], message, covered, usage: null },
    { by: "digest", spans: [{ ...span, promptId: "digest" }], message },
  ],
  [
    "a drop with a notice",
    { kind: "drop", ...span, notice: message, covered },
    { by: "notice", spans: [{ ...span, promptId: null }], message },
  ],
  [
    "a drop without one",
    { kind: "drop", ...span, notice: null, covered },
    { by: "nothing", spans: [{ ...span, promptId: null }], message: null },
  ],
])("%s of an older log is an edit of spans", (_, edit, now) => {
  const read = edits(older(edit));
  expect(read).toEqual([{ kind: "replace-spans", covered, usage: null, ...now }]);
  expect(edits(encodeEntry(decodeEntry(older(edit), place)))).toEqual(read);
});

test.each([
  ["a summary without a message", { kind: "summarize", spans: [{ ...span, promptId: "x" }], covered, usage: null }],
  ["a drop that says nothing of a notice", { kind: "drop", ...span, covered }],
  ["a drop without its end", { kind: "drop", from: "a", notice: null, covered }],
  ["a key that nobody knows", { kind: "drop", ...span, notice: null, covered, more: 1 }],
  ["an edit of another kind", { kind: "forget", ...span, covered }],
])("%s is no entry", (_, edit) => {
  expect(() => decodeEntry(older(edit), place)).toThrow("not a session entry");
});
