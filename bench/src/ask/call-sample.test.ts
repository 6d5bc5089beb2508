import { describe, expect, test } from "vitest";
import type { CallPlace } from "./ask-report.ts";
import { drawCalls } from "./plan-ask.ts";

const places = (session: string, count: number, from = 0): readonly CallPlace[] =>
  Array.from({ length: count }, (_, at) => ({ session, call: from + at }));
const names = (calls: readonly CallPlace[] | undefined) => (calls ?? []).map(({ session, call }) => `${session}${call}`);
const drawnFor = (open: Readonly<Record<string, readonly CallPlace[]>>, count: number) => {
  const drawn = drawCalls(new Map(Object.entries(open)), count);
  return Object.fromEntries([...drawn].map(([policy, calls]) => [policy, names(calls)]));
};
const sessionsOf = (calls: readonly string[] = []) => calls.map((name) => name[0]);

describe("drawCalls", () => {
  test("sessions take turns, however long they are", () => {
    const { p } = drawnFor({ p: [...places("a", 500), ...places("b", 4), ...places("c", 1)] }, 7);
    expect(sessionsOf(p)).toEqual(["a", "a", "a", "b", "b", "b", "c"]);
  });

  test("gives all that there are if they are fewer", () => {
    expect(drawnFor({ p: places("a", 3) }, 50)).toEqual({ p: ["a0", "a1", "a2"] });
    expect(drawnFor({ p: [] }, 50)).toEqual({ p: [] });
  });

  test("policies share their calls as far as possible", () => {
    const { early, late } = drawnFor({ early: places("a", 100), late: places("a", 10, 90) }, 8);
    expect(early).toEqual(late);
    const more = drawnFor({ early: places("a", 100), late: places("a", 10, 90) }, 20);
    expect(more.late).toHaveLength(10);
    expect(more.early).toHaveLength(20);
    expect(more.early).toEqual(expect.arrayContaining([...(more.late ?? [])]));
  });

  test("a larger sample holds the smaller one, so that what was paid is used again", () => {
    const open = { p: [...places("a", 40), ...places("b", 40)] };
    expect(drawnFor(open, 30).p).toEqual(expect.arrayContaining(drawnFor(open, 11).p ?? []));
  });

  test("does not depend on the order of the calls", () => {
    const own = [...places("a", 30), ...places("b", 30)];
    expect(drawnFor({ p: own.toReversed() }, 9)).toEqual(drawnFor({ p: own }, 9));
  });

  test("is not simply the first calls", () => {
    expect(drawnFor({ p: places("a", 1000) }, 5).p).not.toEqual(names(places("a", 5)));
  });
});
