/** Signals that abort when another one does. */
export interface LinkedSignals {
  next(): AbortSignal;
  /** Lets go of the other one: what is aborted later no longer reaches them. */
  release(): void;
}

/** A signal of its own for each of many calls that run at once: a platform warns of more than ten listeners on one. */
export function signalsLike(signal: AbortSignal): LinkedSignals {
  const controllers: AbortController[] = [];
  const onAbort = () => {
    for (const controller of controllers) controller.abort(signal.reason);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return {
    next: () => {
      const controller = new AbortController();
      controllers.push(controller);
      if (signal.aborted) onAbort();
      return controller.signal;
    },
    release: () => signal.removeEventListener("abort", onAbort),
  };
}
