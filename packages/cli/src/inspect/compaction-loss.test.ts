import type { Message } from "@plimsoll/core";
import { assistant, callPart, human, reply, result, summaryMessage } from "@plimsoll/core/testing";
import { compactionLoss } from "@plimsoll/providers/proxy";
import { expect, test } from "vitest";
import { editWords } from "./compaction-loss.ts";

const tokensOf = (message: Message) => message.parts.reduce((sum, part) => sum + ("text" in part ? part.text.length : 10), 0);

const CALL = assistant("a1", [
  callPart("c1", "tool", { argumentsJson: "0123456789", paths: [{ path: "hull.ts", access: "read" }] }),
]);
const BEFORE: readonly Message[] = [
  human("h1", "mend the hull"),
  CALL,
  result("r1", "c1", "x".repeat(100)),
  reply("a2", "mended"),
  human("h2", "thanks"),
];

test.each<[string, readonly Message[], unknown]>([
  ["nothing changed", BEFORE, { kinds: [], humanMessages: [], paths: [], newMessages: [] }],
  [
    "a summary in place of the first three",
    [summaryMessage("s1", "short"), ...BEFORE.slice(3)],
    {
      kinds: [
        { what: "results of tool", parts: 1, tokens: 100 },
        { what: "your messages", parts: 1, tokens: 13 },
        { what: "calls of tool", parts: 1, tokens: 10 },
      ],
      humanMessages: [BEFORE[0]],
      paths: ["hull.ts"],
      newMessages: [summaryMessage("s1", "short")],
    },
  ],
  [
    "a result that was cut to a stub",
    [...BEFORE.slice(0, 2), result("r1", "c1", "gone"), ...BEFORE.slice(3)],
    { kinds: [{ what: "results of tool", parts: 1, tokens: 96 }], humanMessages: [], paths: [], newMessages: [] },
  ],
])("the loss of %s", (_what, after, expected) => {
  expect(compactionLoss(BEFORE, after, tokensOf)).toEqual(expected);
});

test.each([
  [1, 1_200, "dropped 1 message (1,200 characters)"],
  [125, 244_463, "dropped 125 messages (244,463 characters)"],
])("of %i messages that were dropped it is said how many and how long", (messages, chars, words) => {
  const covered = { messages, parts: messages, chars };
  expect(editWords([{ kind: "replace-spans", spans: [], by: "nothing", message: null, covered, usage: null }])).toEqual([
    words,
  ]);
});
