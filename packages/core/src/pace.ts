/** Resolves when what else waits to run has had its turn: timers, input and output, other sessions. */
export type GiveWay = () => Promise<void>;

/** Work that can be put down and taken up: it yields how many messages it has visited since it last did, and ends with its result. */
export type Steps<Result> = Generator<number, Result, void>;

/** Does all of the work at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const next = steps.next();
    if (next.done === true) return next.value;
  }
}

/**
 * Messages that are visited between two rests: at seven microseconds for the slowest visit (a reply that is looked through for what comes next,
 * measured 2026-11-23) a third of the 50 ms after which a person notices, on a machine that is busy. Chosen.
 */
export const SLICE_MESSAGES = 2000;

/** A long text counts as one visit more for each so many UTF-16 code units; chosen. */
const VISIT_CHARS = 1000;

/** Visits that reading so many characters of one message counts as. */
export function visitsOf(chars: number): number {
  return 1 + Math.floor(chars / VISIT_CHARS);
}

/** Keeps one work from holding the event loop: it rests after each {@link SLICE_MESSAGES}, which are counted over all that is done with it. */
export interface Pace {
  /** Does the work in slices. Rejects with the signal's reason if it aborts in a rest. */
  take<Result>(steps: Steps<Result>): Promise<Result>;
  /** Told of a walk that was done at once: the rest that is due after it, which rejects as `take` does; `undefined` if none is. */
  walked(messages: number): Promise<void> | undefined;
}

/** What a pace is made of. */
export interface PaceParts {
  /** Lets others run; `null` never rests. */
  readonly giveWay: GiveWay | null;
  readonly signal: AbortSignal;
  /** Told before each rest how many messages were visited so far. */
  readonly onRest?: (messagesVisited: number) => void;
}

/** The pace of one work. */
export function createPace({ giveWay, signal, onRest = () => undefined }: PaceParts): Pace {
  let visited = 0;
  let visitedInSlice = 0;
  const isDue = (messages: number): boolean => {
    visited += messages;
    visitedInSlice += messages;
    return visitedInSlice >= SLICE_MESSAGES && giveWay !== null;
  };
  const rest = async (): Promise<void> => {
    visitedInSlice = 0;
    onRest(visited);
    await giveWay?.();
    signal.throwIfAborted();
  };
  return {
    take: async (steps) => {
      for (;;) {
        const next = steps.next();
        if (next.done === true) return next.value;
        if (isDue(next.value)) await rest();
      }
    },
    walked: (messages) => (isDue(messages) ? rest() : undefined),
  };
}

/** Does everything at once. */
export const WITHOUT_REST: Pace = {
  take: (steps) => Promise.resolve(atOnce(steps)),
  walked: () => undefined,
};

/** The way that was asked for: the platform's own if nothing is said, none for `null`. */
export function giveWayOf({ giveWay }: { readonly giveWay?: GiveWay | null }): GiveWay | null {
  return giveWay === undefined ? platformGiveWay : giveWay;
}

/** Gives way to what the platform has waiting: timers, input and output, the work of others. */
export const platformGiveWay: GiveWay = () =>
  new Promise((resolve) => {
    // A browser has timers alone, and holds nested ones back by four milliseconds each.
    const setImmediate: unknown = Reflect.get(globalThis, "setImmediate");
    if (typeof setImmediate === "function") setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
