import fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import { type Facts, NO_FACTS } from "../facts/facts.ts";
import { arbitraryLog } from "../testing/arbitrary-transcript.ts";
import { human } from "../testing/builders.ts";
import { createSharedFolds, type MessageFolds, PLAIN_FOLDS } from "./session-readings.ts";

/** Folds a log, message by message. */
function folded(entries: readonly SessionEntry[], folds: MessageFolds) {
  let hash = "";
  let facts: Facts = NO_FACTS;
  const all: unknown[] = [];
  for (const entry of entries) {
    facts = folds.facts(facts, entry);
    if (entry.type !== "message") continue;
    const message = folds.wellFormed(entry.message);
    hash = folds.viewHash(hash, message);
    const { accesses, named, outcomes, ...rest } = facts;
    all.push(structuredClone([message, hash, [accesses, named, outcomes].map((each) => each.slice()), rest]));
  }
  return all;
}

const INTRUDER: SessionEntry = { type: "message", message: human("intruder", "half a character: \ud83d") };

/** The log with a message more at a place. */
const withIntruder = (entries: readonly SessionEntry[], place: number) =>
  entries.toSpliced(place % (entries.length + 1), 0, INTRUDER);

test("logs that part, and meet the same messages again, come to the same as by themselves", () => {
  fc.assert(
    fc.property(arbitraryLog, fc.nat(40), fc.nat(40), (entries, first, second) => {
      const logs = [withIntruder(entries, first), entries, withIntruder(entries, second), entries.slice(second), entries];
      const shared = createSharedFolds();
      expect(logs.map((log) => folded(log, shared))).toEqual(logs.map((log) => folded(log, PLAIN_FOLDS)));
    }),
    { seed: 20_261_123, numRuns: 30 },
  );
});

test("what was made of a message is not made again", () => {
  const shared = createSharedFolds();
  const message = human("a", "half a character: \ud83d");
  const whole = shared.wellFormed(message);
  expect(shared.wellFormed(message)).toBe(whole);
  const facts = shared.facts(NO_FACTS, { type: "message", message });
  expect(shared.facts(NO_FACTS, { type: "message", message })).toBe(facts);
});
