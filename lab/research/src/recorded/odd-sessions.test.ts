import type { Transcript } from "@plimsoll/bench";
import { CALIBRATED_METHODS, calibrateTranscripts } from "@plimsoll/bench/extend";
import { madeTranscript } from "@plimsoll/bench/testing";
import { type SessionEntry, type UsageEntry, usageOf } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { recordedTranscripts } from "./recorded-sessions.ts";

const made = [
  madeTranscript({ turns: 8, toolCallsPerTurn: 5, resultChars: 4000, overheadTokens: 9000, boundaries: [5] }, "made-1"),
  madeTranscript({ turns: 20, toolCallsPerTurn: 1, resultChars: 900, overheadTokens: 2000 }, "made-2"),
  madeTranscript({ turns: 2, toolCallsPerTurn: 30, resultChars: 9000, overheadTokens: 20_000, boundaries: [1] }, "made-3"),
];

/** Longer sessions take longer and are no odder. */
const MOST_ENTRIES = 400;

type Change = (entries: readonly SessionEntry[], next: Transcript | undefined) => readonly SessionEntry[];

function usages(change: (entry: UsageEntry, index: number) => UsageEntry | null): Change {
  return (entries) => {
    let index = 0;
    return entries.flatMap((entry): readonly SessionEntry[] => {
      if (entry.type !== "usage") return [entry];
      const changed = change(entry, index++);
      return changed === null ? [] : [changed];
    });
  };
}

const isBoundary = ({ type }: SessionEntry) => type === "compaction" || type === "revert";
const NO_USAGE = usageOf({});
const OTHER_MODELS = ["acme/frontier-9", "gpt-5.5", "claude-opus-4-8", ""];

const CHANGES: readonly (readonly [string, Change, number])[] = [
  ["nothing changed", (entries) => entries, 3],
  ["reports without a size at times", usages((entry, index) => (index % 3 === 1 ? { ...entry, usage: NO_USAGE } : entry)), 5],
  ["reports missing here and there", usages((entry, index) => (index % 3 === 1 ? null : entry)), 5],
  ["the first reports missing", usages((entry, index) => (index < 3 ? null : entry)), 5],
  ["a model that nobody knows", usages((entry) => ({ ...entry, modelId: "acme/frontier-9" })), 3],
  ["a model without a name", usages((entry) => ({ ...entry, modelId: "" })), 3],
  [
    "models that change now and then",
    usages((entry, index) => ({ ...entry, modelId: OTHER_MODELS[Math.floor(index / 7) % OTHER_MODELS.length] ?? "" })),
    30,
  ],
  ["no output counts", usages((entry) => ({ ...entry, usage: { ...entry.usage, output: NO_USAGE.output } })), 5],
  [
    "sizes that cannot be",
    usages((entry, index) =>
      index % 5 === 2 ? { ...entry, usage: usageOf({ totalInputTokens: 1e300, outputTokens: 1e300 }) } : entry,
    ),
    100,
  ],
  ["the log cut off", (entries) => entries.slice(0, Math.floor(entries.length / 2)), 5],
  [
    "the log begun late",
    (entries) => [
      ...entries.slice(0, 1),
      ...entries.slice(Math.floor(entries.length / 3)).filter((entry) => !isBoundary(entry)),
    ],
    5,
  ],
  [
    "another session behind it",
    (entries, next) => [...entries, ...(next?.entries ?? []).slice(1).filter((entry) => !isBoundary(entry))],
    30,
  ],
];

/** The results of a change of sessions: a line for each reported call, valid numbers, and the median error. */
function check(sessions: readonly Transcript[], change: Change): number | null {
  const changed = sessions.map(
    (session, index): Transcript => ({ ...session, entries: change(session.entries, sessions[(index + 1) % sessions.length]) }),
  );
  const { sessions: calibrated, report } = calibrateTranscripts(changed, CALIBRATED_METHODS.slice(-1));
  const calls = calibrated.map(({ methods }) => methods[0]?.calls ?? []);
  const reported = changed.map(({ entries }) =>
    entries.filter((entry) => entry.type === "usage" && (entry.usage.input.totalTokens ?? 0) > 0),
  );
  expect(calls.map(({ length }) => length)).toEqual(reported.map(({ length }) => length));
  for (const { prediction } of calls.flat()) {
    expect(Number.isSafeInteger(prediction.expectedTokens) && prediction.expectedTokens >= 0).toBe(true);
    expect(prediction.upperTokens).toBeGreaterThanOrEqual(prediction.expectedTokens);
    expect(prediction.upperTokens).toBeLessThan(10_000 + 3 * prediction.expectedTokens);
  }
  return report.methods[0]?.afterFirst.p50Percent ?? null;
}

describe("a made session", () => {
  test.each(CHANGES)("with %s has a prediction below its bound for each reported call", (_, change, medianPercent) => {
    expect(check(made, change)).toBeLessThan(medianPercent);
  });
});

const recorded = (await recordedTranscripts()).filter(
  ({ parentName, hasUsage, entries }) => parentName === null && hasUsage && entries.length <= MOST_ENTRIES,
);

describe.skipIf(recorded.length === 0)("a recorded session", { timeout: 120_000 }, () => {
  test.each(CHANGES)("with %s has a prediction below its bound for each reported call", (_, change, medianPercent) => {
    expect(check(recorded, change)).toBeLessThan(medianPercent);
  });
});
