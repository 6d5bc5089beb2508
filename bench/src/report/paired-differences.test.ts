import { describe, expect, test } from "vitest";
import { VECTOR } from "../metrics/vector.ts";
import { pairedDifferences, sessionRecord } from "./paired-differences.ts";
import type { SessionOutcome } from "./session-outcomes.ts";

const outcome = (session: string, costRatio: number, [own, tail, none]: readonly [number, number, number]): SessionOutcome => ({
  session,
  costRatio,
  vector: VECTOR.map(() => ({ own, tail, none })),
  hasActed: true,
  lostRequests: 0,
  compactions: 1,
});

describe("pairedDifferences", () => {
  const eight = Array.from({ length: 8 }, (_, place) => outcome(`o${place}__r__s`, 0.5, [80, 90, 70]));
  const found = (outcomes: readonly SessionOutcome[], figure: string, against: string) =>
    pairedDifferences(outcomes).find((each) => each.figure === figure && each.against === against);

  test.each([
    ["cost in per cent of doing nothing", "cost", "none", 50],
    ["a measure less its tail", "replaced texts", "tail", -10],
    ["a measure less that of doing nothing", "older plan", "none", 10],
  ])("has %s, with an interval from eight owners", (_, figure, against, value) => {
    const difference = found(eight, figure, against);
    expect(difference?.value).toBeCloseTo(value, 9);
    expect(difference?.interval?.from).toBeCloseTo(value, 9);
    expect(found(eight.slice(1), figure, against)?.interval).toBeNull();
  });

  test("leaves out sessions that ask nothing", () => {
    const silent = { ...outcome("o9__r__s", 1, [0, 0, 0]), vector: VECTOR.map(() => ({ own: null, tail: null, none: null })) };
    expect(found([...eight, silent], "plan", "tail")?.value).toBe(-10);
    expect(found([silent], "plan", "tail")?.value).toBeNull();
  });
});

test("a record counts sessions won, tied and lost: cost by a thousandth, what is held by measures that differ by a point", () => {
  const acted = [
    outcome("a", 0.5, [80, 90, 70]),
    outcome("b", 1.2, [80, 80.5, 80]),
    outcome("c", 1.0005, [80, 60, 90]),
    { ...outcome("d", 0.9, [80, 60, 70]), vector: [80, 80, 80, 0].map((tail) => ({ own: 70, tail, none: 0 })) },
  ];
  expect(sessionRecord(acted)).toEqual({
    acted: 4,
    cost: { won: 2, tied: 1, lost: 1 },
    held: { won: 2, tied: 1, lost: 1 },
    heldOverTail: { won: 1, tied: 1, lost: 2 },
  });
});
