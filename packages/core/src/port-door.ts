import { z } from "zod";
import { isPlimsollError, isThenable, PlimsollError, shown } from "./error.ts";
import type { ArtifactStore, FileTracker, StateProvider, Summarizer, TrackedFile, Wait } from "./ports.ts";
import type { CountTokens } from "./tokens/measure.ts";

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

interface Asked {
  readonly deadline: Deadline;
  readonly signal: AbortSignal;
  /** Makes the error to reject with after the deadline. */
  readonly late: (afterMs: number) => Error;
}

/**
 * The answer, if it comes before the caller's abort and the deadline; the port's signal reports both, and it need not listen. A later answer changes
 * nothing. Rejects with the reason of the abort, and after the deadline with `late`.
 */
export async function answerWithin<Answer>(
  ask: (signal: AbortSignal) => Promise<Answer>,
  { deadline, signal, late }: Asked,
): Promise<Answer> {
  signal.throwIfAborted();
  const asked = new AbortController();
  const giveUp = (reject: (reason: unknown) => void, reason: unknown) => {
    reject(reason);
    asked.abort(reason);
  };
  return await unlessEnded(
    async () => await ask(asked.signal),
    (reject) => {
      const aborted = () => giveUp(reject, signal.reason);
      signal.addEventListener("abort", aborted);
      const stopTimer = deadline.timer(deadline.afterMs, () => giveUp(reject, late(deadline.afterMs)));
      return () => {
        signal.removeEventListener("abort", aborted);
        stopTimer();
      };
    },
  );
}

/** The work's result, unless what `begin` sets up rejects before; the function that it returns takes that down. The work itself goes on. */
async function unlessEnded<T>(work: () => Promise<T>, begin: (reject: (reason: unknown) => void) => () => void): Promise<T> {
  let stop: () => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    stop = begin(reject);
  });
  try {
    return await Promise.race([ended, work()]);
  } finally {
    stop();
  }
}

/**
 * The answer, if it comes before the deadline, of a port that cannot be called off: a signal takes six times as long as the rest. After it rejects with `late`.
 * The deadline begins anew as long as `isMoving` says that something came.
 */
export async function inTime<Answer>(
  ask: () => Promise<Answer>,
  { deadline, late, isMoving }: Pick<Asked, "deadline" | "late"> & { readonly isMoving?: () => boolean },
): Promise<Answer> {
  return await unlessEnded(ask, (reject) => {
    const timed = (): (() => void) =>
      deadline.timer(deadline.afterMs, () => {
        if (isMoving?.() === true) stopTimer = timed();
        else reject(late(deadline.afterMs));
      });
    let stopTimer = timed();
    return () => stopTimer();
  });
}

/** Resolves with the work's result, or rejects with the abort's reason as soon as the signal aborts. The work itself goes on. */
export async function untilAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  if (signal === undefined) return await work();
  signal.throwIfAborted();
  return await unlessEnded(work, (reject) => {
    const aborted = () => reject(signal.reason);
    signal.addEventListener("abort", aborted, { once: true });
    return () => signal.removeEventListener("abort", aborted);
  });
}

/** The summariser, whose summary is there by the deadline, however many requests it takes: one that is late has failed. */
export function withDeadline(summarizer: Summarizer, deadline: Deadline): Summarizer {
  const late = (afterMs: number) =>
    new PlimsollError("summary-failed", `there was no summary within ${afterMs} ms`, { afterMs });
  return (request, signal) => answerWithin((given) => summarizer(request, given), { deadline, signal, late });
}

/** A port's name for a person, the shape that its answers have, and that shape in words. */
export interface Door<Answer> {
  readonly port: string;
  readonly shape: z.ZodType<Answer>;
  readonly wanted: string;
}

/** An answer that a port may not give, and the place in it that is wrong. */
function badAnswer(
  { port, wanted }: Pick<Door<unknown>, "port" | "wanted">,
  value: unknown,
  path: readonly PropertyKey[] = [],
): PlimsollError {
  const wrong = shown(path.reduce<unknown>((at, key) => (Object(at) === at ? Reflect.get(Object(at), key) : at), value));
  const at = path.length === 0 ? "" : ` at ${path.join(".")}`;
  const message = `${port} answered with ${wrong}${at}; it has to answer with ${wanted}`;
  return new PlimsollError("bad-input", message, { port, value: wrong });
}

/** Names the port of an error that it threw or rejected with; one of this project stays as it is. */
export function failedPort(port: string, error: unknown): PlimsollError {
  if (isPlimsollError(error)) return error;
  const why = error instanceof Error ? error.message : shown(error);
  return new PlimsollError("bad-input", `${port} failed: ${why}`, { port, value: why }, error);
}

/**
 * Takes an answer of a port, if it has the shape.
 *
 * @throws PlimsollError `bad-input` naming the port and the value.
 */
export function passed<Answer>(door: Door<Answer>, value: unknown): Answer {
  const read = isThenable(value) ? null : door.shape.safeParse(value);
  if (read?.success !== true) throw badAnswer(door, value, read?.error.issues[0]?.path);
  return read.data;
}

function askedOf(port: string, ask: () => unknown): unknown {
  try {
    return ask();
  } catch (error) {
    throw failedPort(port, error);
  }
}

/** The answer of a port that is waited for until the deadline. One that comes later changes nothing; `onLate` may put it away. */
export async function answerOf<Answer>(door: Door<Answer>, ask: () => unknown, { onLate, ...waited }: Waited): Promise<Answer> {
  const { port } = door;
  let isLate = false;
  const late = (afterMs: number) => {
    isLate = true;
    return new PlimsollError("bad-input", `${port} gave no answer within ${afterMs} ms`, { port, value: "no answer", afterMs });
  };
  const asked = async () => {
    const value: unknown = await ask();
    if (isLate) onLate?.(value);
    return value;
  };
  const value = await inTime(asked, { late, ...waited }).catch((error: unknown) => {
    throw failedPort(port, error);
  });
  return passed(door, value);
}

/** How long a port is waited for. */
export interface Waited {
  readonly deadline: Deadline;
  /** True if it did something since it was asked before; the deadline begins anew then. */
  readonly isMoving?: () => boolean;
  readonly onLate?: (value: unknown) => void;
}

/**
 * The tokenizer of an encoding, whose counts are numbers from 0 on.
 *
 * @throws PlimsollError `bad-input` naming the port and the value, here for anything but a function.
 */
export function tokenizerDoor(encoding: string, count: CountTokens): CountTokens {
  const port = `the tokenizer ${encoding}`;
  if (typeof count !== "function") throw badAnswer({ port: "tokenizers", wanted: `a function for ${encoding}` }, count);
  return (text) => {
    const tokens = askedOf(port, () => count(text));
    // Asked for every text: a schema takes longer than a short one.
    if (typeof tokens === "number" && tokens >= 0 && tokens < Number.POSITIVE_INFINITY) return tokens;
    throw badAnswer({ port, wanted: "a number of tokens from 0 on" }, tokens);
  };
}

const STATE = { shape: z.object({ title: z.string(), text: z.string() }).nullable(), wanted: "a title and a text, or null" };

/** Asks a state provider. */
export function askState(provide: StateProvider, index: number): ReturnType<StateProvider> {
  const port = `state provider ${index + 1}`;
  return passed({ ...STATE, port }, askedOf(port, provide));
}

const TRACKED: Door<readonly TrackedFile[]> = {
  port: "the file tracker",
  shape: z.array(z.object({ path: z.string().min(1), access: z.enum(["read", "modify"]), state: z.string().nullable() })),
  wanted: "a list of files, each with path, access and state",
};

/** Asks a file tracker. */
export function askTracker(track: FileTracker): readonly TrackedFile[] {
  return passed(TRACKED, askedOf(TRACKED.port, track));
}

const HANDLE: Door<string> = { port: "artifacts.put", shape: z.string().min(1), wanted: "the handle, a text" };
const KEPT_TEXT: Door<string | null> = {
  port: "artifacts.get",
  shape: z.string().nullable(),
  wanted: "the text, or null for a handle that it does not know",
};

/** The artifact store, whose answers have their required form and come in time. */
export function artifactsDoor(artifacts: ArtifactStore, deadline: Deadline): ArtifactStore {
  return {
    put: (text) => answerOf(HANDLE, () => artifacts.put(text), { deadline }),
    get: (handle) => answerOf(KEPT_TEXT, () => artifacts.get(handle), { deadline }),
  };
}

/** Wraps a clock. Throws PlimsollError `bad-input` for a time that is neither a finite number nor `null`, which would make the log unreadable. */
export function clockDoor<Time extends number | null>(nowMs: () => Time): () => Time {
  return () => {
    const time = nowMs();
    if (time === null || (typeof time === "number" && Number.isFinite(time))) return time;
    throw badAnswer({ port: "nowMs", wanted: "milliseconds, or null" }, time);
  };
}

const TRUE_NOW: Door<string | null | undefined> = {
  port: "dynamicContext",
  shape: z.string().nullish(),
  wanted: "a text, or null",
};

/** Asks for the dynamic context. */
export async function askDynamicContext(ask: () => unknown): Promise<string | null> {
  return (await answerOf(TRUE_NOW, ask, { deadline: deadlineOf({}) })) ?? null;
}

/** Runs work one after the other, in the order in which it was given. A failure stays with its caller. */
export interface Queue {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Work that was given and has not ended. */
  pendingCount(): number;
}

/** An empty queue. */
export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  let pending = 0;
  return {
    run: (work) => {
      pending += 1;
      const result = last.then(work).finally(() => {
        pending -= 1;
      });
      last = result.catch(() => undefined);
      return result;
    },
    pendingCount: () => pending,
  };
}
