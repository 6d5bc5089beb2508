import type { Message } from "@plimsoll/core";
import { sequenceOf } from "@plimsoll/core/extend";
import fc from "fast-check";
import { expect, test } from "vitest";
import { followingSizes, type RequestSizes } from "./message-sizes.ts";

const message = (at: number): Message => ({ role: "user", id: `m${at}`, origin: "human", parts: [], atMs: null });

/** Sizes of ten messages: each has one from the first call on, and may have another from a later one. */
const sizes = fc.array(
  fc.record({
    first: fc.nat(50),
    later: fc.option(fc.record({ fromCall: fc.integer({ min: 1, max: 12 }), tokens: fc.nat(50) })),
  }),
  { minLength: 10, maxLength: 10 },
);

/** Events before each call. */
const happenings = fc.array(
  fc.record({ arrived: fc.nat(2), edit: fc.option(fc.record({ from: fc.nat(8), count: fc.nat(3) }), { freq: 4 }) }),
  { minLength: 1, maxLength: 12 },
);

test.each([
  ["whole numbers", 1],
  ["sizes whose sum depends on the order", 0.1],
])("requests that follow each other have the sizes that they have alone: %s", (_, unit) => {
  let asked = 0;
  let alone = 0;
  fc.assert(
    fc.property(sizes, happenings, (sized, happened) => {
      const messages = sized.map((_, at) => message(at));
      const messageTokens = (one: Message, call: number) => {
        asked += 1;
        const { first = 0, later = null } = sized[messages.indexOf(one)] ?? {};
        return unit * (later !== null && later.fromCall <= call ? later.tokens : first);
      };
      const model: RequestSizes = {
        messageTokens,
        nonMessageTokens: (call) => 100 + call,
        promptTokens: (call, list) => [...list].reduce((sum, one) => sum + messageTokens(one, call), 100 + call),
        isResizedBetween: (after, through) =>
          sized.some(({ later }) => later !== null && later.fromCall > after && later.fromCall <= through),
      };
      const follow = followingSizes(model, "own");
      let list = sequenceOf<Message>();
      let taken = 0;
      for (const [call, { arrived, edit }] of happened.entries()) {
        for (const one of messages.slice(taken, taken + arrived)) list = list.append(one);
        taken += arrived;
        if (edit !== null) list = sequenceOf(list.slice().toSpliced(edit.from, edit.count));
        expect(follow(call, list)).toBe(model.promptTokens(call, list, "own"));
        alone += list.size;
      }
    }),
    { seed: 20_261_123, numRuns: 500 },
  );
  // Of whole numbers fewer are asked for than two sums of each request take.
  expect(unit < 1 || asked < 2 * alone).toBe(true);
});
