import { afterEach, describe, expect, test, vi } from "vitest";
import { SVEN_POLICY } from "./policy/presets/sven.ts";
import { answerWithin, deadlineOf, inTime, platformTimer, timerOf, withDeadline } from "./port-door.ts";
import type { Summarizer, SummaryRequest, Wait } from "./ports.ts";

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
const endless: Wait = () => never();
const over: Wait = () => Promise.resolve();
const broken: Wait = () => Promise.reject(new Error("no timer"));
const REQUEST: SummaryRequest = { ...SVEN_POLICY.summary, parts: [], view: [], focus: null, prompts: [] };
const late = (afterMs: number) => new Error(`nothing in ${afterMs} ms`);

const FAILURES: readonly [string, () => Promise<never>][] = [
  ["later", async () => Promise.reject(new Error("no"))],
  [
    "at once",
    () => {
      throw new Error("no");
    },
  ],
];

function within<T>(wait: Wait, ask: (signal: AbortSignal) => Promise<T>, signal = new AbortController().signal): Promise<T> {
  return answerWithin(ask, { deadline: deadlineOf({ answerDeadlineMs: 9, wait }), signal, late });
}

describe("an answer within a deadline", () => {
  test("is the answer", async () => {
    expect(await within(endless, async () => "yes")).toBe("yes");
  });

  test("does not need the timer to work", async () => {
    expect(await within(broken, async () => "yes")).toBe("yes");
  });

  test.each(FAILURES)("is the failure of who is asked, %s", async (_, ask) => {
    await expect(within(endless, ask)).rejects.toThrow("no");
  });

  test("is nobody's if the caller has given up before", async () => {
    const asked: string[] = [];
    const ask = async () => void asked.push("asked");
    await expect(within(endless, ask, AbortSignal.abort(new Error("given up")))).rejects.toThrow("given up");
    expect(asked).toEqual([]);
  });

  test("fails after it, and who is asked is told why", async () => {
    const told: AbortSignal[] = [];
    const answer = within(over, (signal) => {
      told.push(signal);
      return never();
    });
    await expect(answer).rejects.toThrow("nothing in 9 ms");
    expect(told.map(({ reason }) => reason)).toEqual([late(9)]);
  });

  test("fails when the caller gives up, and who is asked is told why", async () => {
    const controller = new AbortController();
    const given = new Error("given up");
    const told: AbortSignal[] = [];
    const answer = within(
      endless,
      (signal) => {
        told.push(signal);
        controller.abort(given);
        return never();
      },
      controller.signal,
    );
    await expect(answer).rejects.toBe(given);
    expect(told.map(({ reason }) => reason)).toEqual([given]);
  });

  test("ends the waiting, and what the caller does later is not passed on", async () => {
    const controller = new AbortController();
    const signals: AbortSignal[] = [];
    const wait: Wait = (_, signal) => {
      signals.push(signal);
      return never();
    };
    const ask = async (signal: AbortSignal) => void signals.push(signal);
    await within(wait, ask, controller.signal);
    controller.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });
});

describe("an answer that nobody can call off", () => {
  const inTimeBy = <T>(wait: Wait, ask: () => Promise<T>) =>
    inTime(ask, { deadline: deadlineOf({ answerDeadlineMs: 9, wait }), late });

  test("is the answer, and ends the waiting", async () => {
    const waits: AbortSignal[] = [];
    const wait: Wait = (_, signal) => {
      waits.push(signal);
      return never();
    };
    expect(await inTimeBy(wait, async () => "yes")).toBe("yes");
    expect(waits.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test.each(FAILURES)("is the failure of who is asked, %s", async (_, ask) => {
    await expect(inTimeBy(endless, ask)).rejects.toThrow("no");
  });

  test("fails after the deadline", async () => {
    await expect(inTimeBy(over, never)).rejects.toThrow("nothing in 9 ms");
  });
});

test("a summary that is late has failed, and its error says how long was waited", async () => {
  const deaf: Summarizer = () => never();
  const summarizer = withDeadline(deaf, { afterMs: 9, timer: timerOf(over) });
  await expect(summarizer(REQUEST, new AbortController().signal)).rejects.toMatchObject({
    code: "summary-failed",
    details: { afterMs: 9 },
  });
});

test("the platform's timer is the one of a setting that brings none, and is over after its time", async () => {
  const deadline = deadlineOf({ answerDeadlineMs: 0 });
  expect(deadline).toEqual({ afterMs: 0, timer: platformTimer });
  await expect(answerWithin(() => never(), { deadline, signal: new AbortController().signal, late })).rejects.toThrow(
    "nothing in 0 ms",
  );
});

describe("what a timer leaves behind", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test("an answer clears the platform's", async () => {
    const timer = {};
    const cleared: unknown[] = [];
    vi.stubGlobal("setTimeout", () => timer);
    vi.stubGlobal("clearTimeout", (each: unknown) => cleared.push(each));
    await answerWithin(async () => "yes", { deadline: deadlineOf({}), signal: new AbortController().signal, late });
    expect(cleared).toEqual([timer]);
  });
});
