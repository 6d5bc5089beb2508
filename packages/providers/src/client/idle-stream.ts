import { idleStream } from "./failure.ts";
import type { Wait } from "./retry.ts";

/** How long a stream may send nothing before its attempt is given up. */
export interface IdleLimit {
  readonly timeoutMs: number;
  /** Measures the time; resolves when it is over. */
  readonly wait: Wait;
  /** Ends the request, so that nothing goes on behind the failure. */
  readonly abort: () => void;
}

/**
 * Five minutes: reasoning that is not shown can take so long on the OpenAI wires, which send nothing meanwhile; Codex waits as long
 * (`stream_idle_timeout_ms`).
 */
export const DEFAULT_IDLE_TIMEOUT_MS = 300_000;

/** The events, as long as each comes in time; the first is waited for as long as any other. Rejects with the reason `idle-stream`. */
export async function* endedWhenIdle<Event>(
  events: AsyncIterable<Event>,
  { timeoutMs, wait, abort }: IdleLimit,
): AsyncGenerator<Event> {
  const iterator = events[Symbol.asyncIterator]();
  let isIdle = false;
  try {
    for (;;) {
      const timer = new AbortController();
      const over = wait(timeoutMs, timer.signal).then(
        () => "idle" as const,
        // The wait was ended because an event came.
        () => "ended" as const,
      );
      const next = iterator.next();
      const first = await Promise.race([next, over]).finally(() => timer.abort());
      if (first === "idle") {
        isIdle = true;
        abort();
        next.catch(() => undefined);
        throw idleStream(timeoutMs);
      }
      const { done, value } = await next;
      if (done === true) return;
      yield value;
    }
  } finally {
    // A stream that hangs would keep its reader waiting for its end, too.
    if (!isIdle) await iterator.return?.();
  }
}
