import type { Message } from "@plimsoll/core";
import { sequenceOf } from "@plimsoll/core/extend";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RecordedCache } from "./recorded-cache.ts";
import { followingPrefixes, type PrefixMeasure } from "./request-ledger.ts";

const message = (at: number): Message => ({ role: "user", id: `m${at}`, origin: "human", parts: [], atMs: null });

/** Sizes of ten messages: each may have another from a later call on, because the sent text or the knowledge of it changes. */
const sizes = fc.array(
  fc.record({
    first: fc.nat(50),
    later: fc.option(fc.record({ fromCall: fc.integer({ min: 1, max: 12 }), tokens: fc.nat(50), isChange: fc.boolean() })),
  }),
  { minLength: 10, maxLength: 10 },
);

/** Events before each call, and the recording's traces of the cache. */
const happenings = fc.array(
  fc.record({
    arrived: fc.nat(2),
    edit: fc.option(fc.record({ from: fc.nat(8), count: fc.nat(3) }), { freq: 4 }),
    nonMessageTokens: fc.integer({ min: 90, max: 110 }),
    sign: fc.option(
      fc.oneof(
        fc.constant({ kind: "whole" } as const),
        fc.record({
          kind: fc.constant("cut" as const),
          readTokens: fc.nat(300),
          messageId: fc.option(fc.nat(9).map((at) => `m${at}`)),
          withinTokens: fc.nat(40),
        }),
      ),
      { freq: 2 },
    ),
  }),
  { minLength: 2, maxLength: 12 },
);

test.each([
  ["whole numbers", 1],
  ["halves", 0.5],
])("requests that follow each other share what each shares alone with the one before: %s", (_, unit) => {
  let asked = 0;
  let askedAlone = 0;
  fc.assert(
    fc.property(sizes, happenings, (sized, happened) => {
      const messages = sized.map((_, at) => message(at));
      const laterOf = (one: Message) => sized[messages.indexOf(one)]?.later ?? null;
      const recorded: RecordedCache = {
        signAt: (call) => happened[call]?.sign ?? null,
        placeOf: (id) => Number(id.slice(1)),
        headTokens: 60,
      };
      const sizeJudge: PrefixMeasure["sizeJudge"] = {
        messageTokens: (one, call) => {
          asked += 1;
          const later = laterOf(one);
          return unit * (later !== null && later.fromCall <= call ? later.tokens : (sized[messages.indexOf(one)]?.first ?? 0));
        },
        nonMessageTokens: (call) => happened[call]?.nonMessageTokens ?? 100,
        changedAt: (call) => messages.filter((one) => laterOf(one)?.isChange === true && laterOf(one)?.fromCall === call),
        resizedAt: (call) => messages.filter((one) => laterOf(one)?.fromCall === call),
      };
      const measure: PrefixMeasure = { sizeJudge, history: "own", recorded };
      const follow = followingPrefixes(measure);
      let list = sequenceOf<Message>();
      let taken = 0;
      let before = { call: 0, messages: list, promptTokens: 100 };
      for (const [call, { arrived, edit }] of happened.entries()) {
        for (const one of messages.slice(taken, taken + arrived)) list = list.append(one);
        taken += arrived;
        if (edit !== null) list = sequenceOf(list.slice().toSpliced(edit.from, edit.count));
        const requests = { before, now: { call, messages: list } };
        const askedBefore = asked;
        const alone = followingPrefixes(measure)(requests);
        askedAlone += asked - askedBefore;
        expect(follow(requests)).toEqual(alone);
        before = { call, messages: list, promptTokens: 100 + 30 * list.size };
      }
    }),
    { seed: 20_261_123, numRuns: 500 },
  );
  // Fewer are asked for than each comparison takes by itself.
  expect(asked).toBeLessThan(2 * askedAlone);
});
