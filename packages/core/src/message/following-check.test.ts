import fc from "fast-check";
import { expect, test } from "vitest";
import { type Sequence, sequenceOf } from "../sequence.ts";
import { arbitraryMessageSoup } from "../testing/arbitrary-transcript.ts";
import { human } from "../testing/builders.ts";
import { checkMessages, followingChecks, STRICT_WIRE_RULES, type WireRules } from "./check.ts";
import type { Message } from "./message.ts";

/** Rules that reject and accept what the strict ones do not. */
const OTHER_RULES: WireRules = {
  ...STRICT_WIRE_RULES,
  firstMessage: "user",
  lastMessage: "any",
  resultPlacement: "anywhere-after-call",
  resultImages: "reject",
  sameRole: "reject",
  callIds: "word-characters",
  maximumCallIdChars: 20,
  maximumMessages: 5,
};

/** Events between two calls: messages come, and an edit may take some out or put another in their place. */
const happenings = fc.array(
  fc.record({
    arrived: fc.nat(4),
    edit: fc.option(fc.record({ from: fc.nat(20), count: fc.nat(5), isReplaced: fc.boolean() }), { freq: 3 }),
  }),
  { maxLength: 12 },
);

/** The lists that are sent, one a call. */
function listsOf(messages: readonly Message[], happened: typeof happenings extends fc.Arbitrary<infer T> ? T : never) {
  const lists: Sequence<Message>[] = [];
  let list = sequenceOf<Message>();
  let taken = 0;
  for (const { arrived, edit } of happened) {
    for (const message of messages.slice(taken, taken + arrived)) list = list.append(message);
    taken += arrived;
    const stub = edit?.isReplaced ? [human(`edit-${taken}`, "replaced")] : [];
    if (edit !== null) list = sequenceOf(list.slice().toSpliced(edit.from, edit.count, ...stub));
    lists.push(list);
  }
  return lists;
}

test("a check that follows says of every list what a check of it alone says", () => {
  let violations = 0;
  fc.assert(
    fc.property(arbitraryMessageSoup, happenings, (messages, happened) => {
      const lists = listsOf(messages, happened);
      for (const rules of [STRICT_WIRE_RULES, OTHER_RULES]) {
        const checks = followingChecks(rules);
        // The second check finds the contents that the first one read.
        for (const check of [checks(), checks()])
          for (const list of lists) {
            const found = check(list);
            expect(found).toEqual(checkMessages(list.slice(), rules));
            violations += found.length;
          }
      }
    }),
    { seed: 20_261_123, numRuns: 300 },
  );
  expect(violations).toBeGreaterThan(1000);
});

test("a message value is read once, whoever checks it and however often", () => {
  let reads = 0;
  const parts = human("watched", "text").parts;
  const watched: Message = {
    ...human("watched", "text"),
    get parts() {
      reads += 1;
      return parts;
    },
  };
  const rules: WireRules = { ...STRICT_WIRE_RULES, emptyContent: "accept", malformedText: "accept" };
  const checks = followingChecks(rules);
  const [one, other] = [checks(), checks()];
  const list = sequenceOf([watched]);
  one(list);
  const readOnce = reads;
  one(list.append(human("next", "text")));
  one(list);
  other(list);
  expect(readOnce).toBeGreaterThan(0);
  expect(reads).toBe(readOnce);
});
