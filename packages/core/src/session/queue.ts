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
