import type { Message } from "@plimsoll/core";
import { sequenceOf } from "@plimsoll/core/extend";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sizedMessages } from "./message-sizes.ts";

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
  ["halves", 0.5],
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
      const resizedAt = (call: number) => messages.filter((_, at) => sized[at]?.later?.fromCall === call);
      const followed = sizedMessages({ messageTokens, resizedAt });
      let list = sequenceOf<Message>();
      let taken = 0;
      for (const [call, { arrived, edit }] of happened.entries()) {
        for (const one of messages.slice(taken, taken + arrived)) list = list.append(one);
        taken += arrived;
        if (edit !== null) list = sequenceOf(list.slice().toSpliced(edit.from, edit.count));
        followed.follow(call, list);
        const sums = [0];
        for (const one of list) sums.push((sums.at(-1) ?? 0) + messageTokens(one, call));
        expect(sums.map((_, count) => followed.tokens(count))).toEqual(sums);
        expect(followed.tokens()).toBe(sums.at(-1));
        expect(sums.map((sum) => followed.countWithin(sum))).toEqual(sums.map((sum) => sums.lastIndexOf(sum)));
        expect(messages.map(followed.placeOf)).toEqual(messages.map((one) => list.slice().indexOf(one)));
        alone += list.size;
      }
    }),
    { seed: 20_261_123, numRuns: 500 },
  );
  // Fewer are asked for than two sums of each request take.
  expect(asked).toBeLessThan(2 * alone);
});
