/** How often and how slowly failed requests are sent again. */
export interface RetryOptions {
  /** Attempts in all, the first one counted. */
  readonly maximumAttempts: number;
  /** Wait before the second attempt; it doubles with each further one. */
  readonly firstWaitMs: number;
  /** Longest wait. If a provider asks for more, the request fails. */
  readonly maximumWaitMs: number;
  /**
   * Largest part by which a random cut shortens a back-off, so that clients that failed together do not return together (0 waits exactly, 1 anything down to nothing). It
   * never shortens a time that a provider asks for. 0 if it is left out.
   */
  readonly jitterRatio?: number;
}

/** Five attempts within about half a minute, waits shortened by up to a quarter; chosen. The vendors' own SDKs shorten theirs as much. */
export const DEFAULT_RETRY: RetryOptions = { maximumAttempts: 5, firstWaitMs: 1_000, maximumWaitMs: 30_000, jitterRatio: 0.25 };

/** A random number from 0 up to 1. */
export type Random = () => number;

/** Waits; rejects when the signal aborts. */
export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** An attempt that failed: its number, counted from 1, the provider's requested wait, and the random number that shortens the wait. */
export interface FailedAttempt {
  readonly attempt: number;
  readonly retryAfterMs: number | null;
  readonly random: Random;
}

/** Time to wait after an attempt failed; `null` if no further attempt is to be made. */
export function waitAfter({ attempt, retryAfterMs, random }: FailedAttempt, options: RetryOptions): number | null {
  if (attempt >= options.maximumAttempts) return null;
  const fullMs = Math.min(options.firstWaitMs * 2 ** (attempt - 1), options.maximumWaitMs);
  const backOffMs = Math.round(fullMs * (1 - (options.jitterRatio ?? 0) * random()));
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
