/** How often and how slowly failed requests are sent again. */
export interface RetryOptions {
  /** Attempts in all, the first one counted. */
  readonly maximumAttempts: number;
  /** Wait before the second attempt; it doubles with each further one. */
  readonly firstWaitMs: number;
  /** Longest wait. A provider that asks for more is not asked again. */
  readonly maximumWaitMs: number;
}

/** Five attempts within about half a minute; chosen. */
export const DEFAULT_RETRY: RetryOptions = { maximumAttempts: 5, firstWaitMs: 1_000, maximumWaitMs: 30_000 };

/** Waits; rejects when the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Time to wait after an attempt (counted from 1) failed; `null` where no further attempt is to be made. */
export function waitAfter(attempt: number, retryAfterMs: number | null, options: RetryOptions): number | null {
  if (attempt >= options.maximumAttempts) return null;
  const backOffMs = Math.min(options.firstWaitMs * 2 ** (attempt - 1), options.maximumWaitMs);
  if (retryAfterMs === null) return backOffMs;
  return retryAfterMs > options.maximumWaitMs ? null : Math.max(backOffMs, retryAfterMs);
}

/** Waits by the platform's timer. */
export function waitByTimer(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}
