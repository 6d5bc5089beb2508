/** Decides which task goes on at each pause: the same seed, the same order. */
export interface Scheduler {
  /** Resolves when it is this one's turn. */
  pause(): Promise<void>;
  /** Runs work that begins at the same time, until all of it has ended. Rejects as the first that does. */
  run(work: readonly (() => Promise<void>)[]): Promise<void>;
}

/** A scheduler that lets one pause end at a time, in an order that follows from the seed. */
export function createScheduler(seed: number): Scheduler {
  const random = createRandom(seed);
  const waiting: (() => void)[] = [];
  return {
    pause: () => new Promise((resolve) => waiting.push(resolve)),
    run: async (work) => {
      let open = work.length;
      const all = Promise.all(work.map((each) => each().finally(() => (open -= 1))));
      all.catch(() => undefined);
      while (open > 0) {
        // Everything that can go on without a decision goes on first.
        await new Promise((resolve) => setImmediate(resolve));
        const [next] = waiting.splice(random(waiting.length), 1);
        next?.();
      }
      await all;
    },
  };
}

/** Whole numbers below a bound, the same for the same seed (a linear congruential generator, Numerical Recipes' constants). */
export function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
