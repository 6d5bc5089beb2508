import { PlimsollError } from "./error.ts";
import type { Summarizer, Wait } from "./ports.ts";

/** Calls `over` after so many milliseconds, unless the function that it gives is called before. */
export type Timer = (ms: number, over: () => void) => () => void;

/** How long an answer is waited for. */
export interface Deadline {
  readonly afterMs: number;
  readonly timer: Timer;
}

/** A summary or a hook's answer is given up after so long: five minutes, longer than any recorded summary took. Chosen. */
const ANSWER_DEADLINE_MS = 300_000;

/** The deadline of a setting: {@link ANSWER_DEADLINE_MS} by the platform's timer, unless it says otherwise. */
export function deadlineOf(setting: { readonly answerDeadlineMs?: number; readonly wait?: Wait }): Deadline {
  const { answerDeadlineMs: afterMs = ANSWER_DEADLINE_MS, wait } = setting;
  return { afterMs, timer: wait === undefined ? platformTimer : timerOf(wait) };
}

/** The platform's timer. Without a signal, which takes longer than all else around an answer that is there at once. */
export const platformTimer: Timer = (ms, over) => {
  const timer = setTimeout(over, ms);
  return () => clearTimeout(timer);
};

/** A timer by a wait that is given. If the wait fails, it is never over. */
export function timerOf(wait: Wait): Timer {
  return (ms, over) => {
    const controller = new AbortController();
    wait(ms, controller.signal).then(over, () => undefined);
    // With a reason: the platform would make an error of its own, with a trace of where it was made.
    return () => controller.abort(null);
  };
}

/** Who is asked, and until when. */
interface Asked {
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
  /** Makes the error to reject with after the deadline. */
  readonly late: (afterMs: number) => Error;
}

/**
 * The answer, if it comes before the caller's abort and the deadline; whoever is asked is told of both, and need not listen. What comes later
 * changes nothing. Rejects with the reason of the abort, and after the deadline with `late`.
 */
export async function answerWithin<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
  { deadline, signal, late }: Asked,
): Promise<Answer> {
  signal.throwIfAborted();
  const asked = new AbortController();
  let giveUp: () => void = () => undefined;
  let stopTimer: () => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    giveUp = () => {
      reject(signal.reason);
      asked.abort(signal.reason);
    };
    stopTimer = deadline.timer(deadline.afterMs, () => {
      const error = late(deadline.afterMs);
      reject(error);
      asked.abort(error);
    });
  });
  signal.addEventListener("abort", giveUp);
  try {
    return await Promise.race([ended, askedOf(ask, asked.signal)]);
  } finally {
    signal.removeEventListener("abort", giveUp);
    stopTimer();
  }
}

async function askedOf<Answer>(ask: (signal: AbortSignal) => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  return await ask(signal);
}

/**
 * The answer, if it comes before the deadline, for whoever cannot be called off: a signal takes six times as long as the rest. After it rejects with `late`. The
 * deadline begins anew as long as `isMoving` says that something came.
 */
export async function inTime<Answer>(
  ask: () => Promise<Answer>,
  { deadline, late, isMoving }: Pick<Asked, "deadline" | "late"> & { readonly isMoving?: () => boolean },
): Promise<Answer> {
  let stopTimer: () => void = () => undefined;
  const over = new Promise<never>((_, reject) => {
    const begin = () => {
      stopTimer = deadline.timer(deadline.afterMs, () => {
        if (isMoving?.() === true) begin();
        else reject(late(deadline.afterMs));
      });
    };
    begin();
  });
  try {
    return await Promise.race([over, ask()]);
  } finally {
    stopTimer();
  }
}

/** The summariser, whose summary is there by the deadline, however many requests it takes: one that is late has failed. */
export function withDeadline(summarizer: Summarizer, deadline: Deadline): Summarizer {
  const late = (afterMs: number) =>
    new PlimsollError("summary-failed", `there was no summary within ${afterMs} ms`, { afterMs });
  return (request, signal) => answerWithin((given) => summarizer(request, given), { deadline, signal, late });
}

/** Waits by the platform's timer, which does not keep a process from ending if the platform can say so. */
export const unheldWait: Wait = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    // In browsers a timer is a number.
    const known: unknown = timer;
    if (typeof known === "object" && known !== null && "unref" in known && typeof known.unref === "function") known.unref();
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
  });
