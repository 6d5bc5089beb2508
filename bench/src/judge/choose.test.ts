import { describe, expect, test } from "vitest";
import { madeSession } from "../../testing/made-standing.ts";
import { choose } from "./choose.ts";
import { type SessionStanding, standingOf } from "./standing.ts";
import { VECTOR } from "./vector.ts";

/** An outcome with the same share on every measure; its tail and doing nothing hold as much. */
const outcome = (costRatio: number, share: number, lostRequests = 0): SessionStanding => {
  const vector = VECTOR.map(() => ({ own: share, tail: share, none: share, uses: 10 }));
  return madeSession("a", costRatio, { held: share, vector, lostRequests });
};

/** The same with other figures on the first measure. */
const withEdits = (each: SessionStanding, own: number, tail: number): SessionStanding => ({
  ...each,
  vector: [{ own, tail, none: own, uses: 10 }, ...each.vector.slice(1)],
});

/** The same where doing nothing holds another share of the first measure. */
const overNone = (each: SessionStanding, none: number): SessionStanding => ({
  ...each,
  vector: each.vector.map((share, place) => (place === 0 ? { ...share, none } : share)),
});

const chosen = (policies: Readonly<Record<string, SessionStanding>>) =>
  choose(Object.entries(policies).map(([name, each]) => standingOf(name, [each])));

describe("choose", () => {
  test.each([
    ["the knee of the front", { cheap: outcome(0.5, 60), bend: outcome(0.55, 85), dear: outcome(1, 90) }, "bend"],
    ["the cheapest if there is no knee", { cheap: outcome(0.5, 60), dear: outcome(1, 90) }, "cheap"],
    [
      "the cheapest if the others keep hardly more",
      { cheap: outcome(0.5, 90), bend: outcome(0.65, 90.4), dear: outcome(1.5, 91) },
      "cheap",
    ],
    ["none that lost a request", { cheap: outcome(0.5, 90, 1), dear: outcome(1, 80) }, "dear"],
    ["nothing if all lost one", { cheap: outcome(0.5, 90, 1), dear: outcome(1, 80, 2) }, null],
    ["the one that beats all", { best: outcome(0.5, 90), other: outcome(0.6, 80) }, "best"],
  ] as const)("takes %s", (_, policies, expected) => {
    expect(chosen(policies).pick?.policy ?? null).toBe(expected);
  });

  test.each<[string, Readonly<Record<string, SessionStanding>>, readonly string[]]>([
    ["nothing if it is worse on none", { own: outcome(0.5, 80), other: outcome(0.5, 80) }, []],
    [
      "a policy of its cost that holds more",
      { own: withEdits(outcome(0.5, 80), 70, 70), other: outcome(0.5, 80) },
      ["replaced texts other 10"],
    ],
    ["one of 5% more", { own: withEdits(outcome(0.5, 80), 70, 70), other: outcome(0.525, 80) }, ["replaced texts other 10"]],
    [
      "of two policies the one that is most ahead",
      { own: withEdits(outcome(0.5, 80), 70, 70), other: outcome(0.5, 80), most: withEdits(outcome(0.5, 80), 85, 85) },
      ["replaced texts most 15"],
    ],
    ["none of six per cent more", { own: withEdits(outcome(0.5, 80), 70, 70), other: outcome(0.53, 80) }, []],
    ["the tail of its own size", { own: withEdits(outcome(0.5, 80), 70, 85) }, ["replaced texts tail 15"]],
    ["no difference below a point", { own: withEdits(outcome(0.5, 80), 79.5, 80) }, []],
  ])("names %s", (_, policies, worse) => {
    const [own = []] = chosen(policies).worse.values();
    expect(own.map(({ measure, than, points }) => `${measure} ${than ?? "tail"} ${points}`)).toEqual(worse);
  });

  test.each<[string, Readonly<Record<string, SessionStanding>>, readonly string[], string]>([
    ["what costs more than doing nothing and holds no more is not recommended", { dear: outcome(1.23, 80) }, [], "dear"],
    ["what costs more and holds more of something is", { dear: overNone(outcome(1.23, 80), 70) }, ["dear"], "dear"],
    ["what costs more and holds hardly more is not", { dear: overNone(outcome(1.23, 80), 79.5) }, [], "dear"],
    [
      "a policy that loses on nothing goes before one that does, and a cheat is none",
      { "all-excerpts": outcome(0.4, 99), loses: withEdits(outcome(0.5, 80), 60, 90), holds: outcome(0.6, 81) },
      ["holds"],
      "holds",
    ],
    [
      "few losses are as good as many: the knee of the recommended is taken",
      { cheap: outcome(0.5, 60), bend: outcome(0.55, 85), dear: outcome(1, 90) },
      ["cheap", "bend", "dear"],
      "bend",
    ],
    [
      "if all lose, it is the knee of the whole front, not the one with the fewest losses",
      {
        cheap: withEdits(outcome(0.5, 60), 60, 70),
        bend: { ...outcome(0.55, 85), vector: VECTOR.map(() => ({ own: 85, tail: 90, none: 85, uses: 10 })) },
        dear: withEdits(outcome(1, 90), 90, 95),
      },
      [],
      "bend",
    ],
    [
      "one that loses to a policy of a lost request is not recommended either",
      { own: outcome(0.5, 80), lost: outcome(0.5, 90, 1) },
      [],
      "own",
    ],
  ])("%s", (_, policies, recommended, pick) => {
    const choice = chosen(policies);
    expect([choice.recommended.map(({ policy }) => policy), choice.pick?.policy]).toEqual([recommended, pick]);
  });

  test("leaves what is beaten in both out of the front", () => {
    const { front } = chosen({ cheap: outcome(0.5, 60), beaten: outcome(0.6, 50), dear: outcome(1, 90) });
    expect(front.map(({ policy }) => policy)).toEqual(["cheap", "dear"]);
  });
});

/** A run's settings beside the one in use, which costs as much as no compaction. */
test.each<[string, Readonly<Record<string, SessionStanding>>, string | null]>([
  ["the cheapest", { dear: outcome(0.9, 80), cheap: outcome(0.8, 80) }, "cheap"],
  ["of two of one cost the one that keeps more", { less: outcome(0.8, 80), more: outcome(0.8, 85) }, "more"],
  ["none that is hardly cheaper", { own: outcome(0.96, 80) }, null],
  ["none that keeps less of a measure", { own: withEdits(outcome(0.8, 80), 70, 70) }, null],
  ["none of more requests that are too large", { own: { ...outcome(0.8, 80), tooLarge: 1 } }, null],
])("takes among settings %s", (_, settings, expected) => {
  const standings = Object.entries(settings).map(([name, each]) => standingOf(name, [each]));
  expect(choose(standings, { current: standingOf("now", [outcome(1, 80)]) }).pick?.policy ?? null).toBe(expected);
});

test("sessions of one lineage are one, which acted if one of them did", () => {
  const [still, acted] = [false, true].map((hasActed) => ({
    ...outcome(1, 80),
    session: `${hasActed}`,
    lineage: "l",
    hasActed,
  }));
  const units = [still, acted].filter((each) => each !== undefined);
  expect(standingOf("own", units).units).toMatchObject([{ hasActed: true }]);
});

describe("better", () => {
  /** Sessions of so many owners, in which the rival holds that many points more of the first measure. */
  const pairs = (owners: number, pointsOf: (place: number) => number) => {
    const sessions = Array.from({ length: owners }, (_, place) => ({ ...outcome(0.5, 50), session: `o${place}__r__s` }));
    const rival = sessions.map((each, place) => withEdits(each, 50 + pointsOf(place), 50));
    return [standingOf("own", sessions), standingOf("rival", rival)];
  };
  test.each<[string, number, (place: number) => number, number]>([
    ["an interval above zero is, however small", 8, () => 0.5, 1],
    ["an interval that holds zero is no difference, however large", 8, (place) => (place === 0 ? 80 : -1), 0],
    ["one that begins at zero is none", 8, (place) => (place === 0 ? 80 : 0), 0],
    ["from seven owners it is the difference itself", 7, (place) => (place === 0 ? 80 : -1), 1],
    ["but of a point at least", 7, () => 0.5, 0],
  ])("%s", (_, owners, pointsOf, count) => {
    const [worse] = choose(pairs(owners, pointsOf), { withIntervals: true }).worse.values();
    expect(worse).toHaveLength(count);
  });
});
