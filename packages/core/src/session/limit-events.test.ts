import { expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import { revertOf } from "../testing/builders.ts";
import { compaction, human, reply, usageEntry } from "../testing/index.ts";
import { rejectedUsage } from "../usage.ts";
import { foldLimitEvents, type LimitEvent, refusalStep } from "./learned-limit.ts";

const answered = (promptTokens: number, modelId = "a"): SessionEntry => ({
  ...usageEntry(`r${promptTokens}`, null, promptTokens),
  modelId,
});
const cut = (record: object): SessionEntry => {
  const made = compaction("c", []);
  return {
    ...made,
    record: { ...made.record, reason: "overflow", modelId: "a", tokensBefore: 900, tokensAfter: 400, ...record },
  };
};
const said = (promptTokens: number, modelId = "a", more = {}): LimitEvent => {
  return { kind: "answered", modelId, promptTokens, ...more };
};
const twice = { times: 2 };
const refused = (limitTokens: number | null, more = {}): LimitEvent => {
  const sizes = { limitTokens, expectedTokens: 900, afterTokens: 400 };
  return { kind: "refused", modelId: "a", entryId: "c", ...sizes, atMs: null, ...more };
};

const undone = (isPast: boolean): LimitEvent => ({ kind: "undone", modelId: "a", afterTokens: 400, isPast });

test.each<[string, readonly SessionEntry[], readonly LimitEvent[]]>([
  ["a refusal with the limit that was named", [cut({ observedLimitTokens: 800 })], [refused(800)]],
  ["a refusal that named none", [cut({})], [refused(null)]],
  ["a compaction for another reason is none", [cut({ reason: "threshold" })], []],
  ["of answers the first and the largest", [answered(5), answered(9), answered(7)], [said(5), said(9, "a", twice)]],
  [
    "a refusal parts answers",
    [answered(5), answered(9), cut({}), answered(4), answered(6), answered(5)],
    [said(5), said(9), refused(null), said(4), said(6, "a", twice)],
  ],
  ["another model's answers are its own", [answered(5), answered(6, "b"), answered(7)], [said(5), said(6, "b"), said(7)]],
  [
    "a prompt that was measured by its refusal was not answered",
    [{ ...answered(5), type: "usage", usage: rejectedUsage(950) } as const].filter(
      (entry): entry is Extract<SessionEntry, { type: "usage" }> => entry.type === "usage",
    ),
    [],
  ],
  [
    "less that did not help, and what the person says after it",
    [cut({}), revertOf("c"), cut({}), revertOf("c"), { type: "message", message: human("h", "go on") }],
    [undone(false), undone(true)],
  ],
  [
    "a reply without a report leaves no try",
    [answered(5), cut({}), revertOf("c"), { type: "message", message: reply("a", "yes") }],
    [said(5)],
  ],
  [
    "a reply without a report answers what was expected of it, after unknown words",
    [cut({ steps: [refusalStep()] }), { type: "message", message: reply("a", "yes") }],
    [refused(null, { words: "unknown" }), said(400)],
  ],
  ["undoing another compaction is none", [cut({}), revertOf("other")], [refused(null)]],
  ["messages tell nothing", [{ type: "message", message: human("h", "go on") }], []],
])("%s", (_, entries, events) => {
  expect(entries.reduce(foldLimitEvents, [] as readonly LimitEvent[])).toEqual(events);
});
