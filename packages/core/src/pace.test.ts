import { describe, expect, test } from "vitest";
import type { Steps } from "./pace.ts";
import { atOnce, createPace, platformGiveWay, SLICE_MESSAGES, visitsOf } from "./pace.ts";

/** Visits messages one by one, and counts them. */
function* visiting(count: number, visited: { count: number }): Steps<string> {
  for (let at = 0; at < count; at++) {
    visited.count += 1;
    yield 1;
  }
  return "done";
}

const never = new AbortController().signal;

describe("a pace", () => {
  test("rests after every slice, and says how far it is", async () => {
    const visited = { count: 0 };
    const atRest: number[] = [];
    const told: number[] = [];
    const giveWay = () => Promise.resolve(void atRest.push(visited.count));
    const pace = createPace({ giveWay, signal: never, onRest: (messages) => told.push(messages) });
    expect(await pace.take(visiting(2 * SLICE_MESSAGES + 5, visited))).toBe("done");
    expect(atRest).toEqual([SLICE_MESSAGES, 2 * SLICE_MESSAGES]);
    expect(told).toEqual(atRest);
  });

  test("counts over all that is done with it", async () => {
    let rests = 0;
    const giveWay = async () => {
      rests += 1;
    };
    const pace = createPace({ giveWay, signal: never });
    await pace.take(visiting(SLICE_MESSAGES - 1, { count: 0 }));
    expect(rests).toBe(0);
    await pace.walked(1);
    expect(rests).toBe(1);
    await pace.walked(SLICE_MESSAGES - 1);
    expect(rests).toBe(1);
  });

  test("that never gives way does all at once", async () => {
    const told: number[] = [];
    const pace = createPace({ giveWay: null, signal: never, onRest: (messages) => told.push(messages) });
    expect(await pace.take(visiting(3 * SLICE_MESSAGES, { count: 0 }))).toBe("done");
    expect(told).toEqual([]);
  });

  test("goes no further than the rest in which its signal aborts", async () => {
    const visited = { count: 0 };
    const controller = new AbortController();
    const pace = createPace({ giveWay: async () => controller.abort(new Error("enough")), signal: controller.signal });
    await expect(pace.take(visiting(5 * SLICE_MESSAGES, visited))).rejects.toThrow("enough");
    expect(visited.count).toBe(SLICE_MESSAGES);
  });
});

test("work done at once has the result of work done in slices", () => {
  expect(atOnce(visiting(10, { count: 0 }))).toBe("done");
});

test("a long text counts as more visits", () => {
  expect([0, 999, 1000, 25_000].map(visitsOf)).toEqual([1, 1, 2, 26]);
});

test("the platform's own way lets a timer run", async () => {
  const ran: string[] = [];
  setImmediate(() => ran.push("other"));
  await platformGiveWay();
  expect(ran).toEqual(["other"]);
});
