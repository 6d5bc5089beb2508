import type { WindowRequest } from "../drive/cell.ts";

const THOUSAND = 1_000;
const MILLION = 1_000_000;

/** The label of sessions in their own windows. */
export const REAL_WINDOWS = "real windows";

/** A window in words, e.g. `64k for messages and reply`. Real windows differ from model to model and go by one label. */
export function windowLabel(window: WindowRequest): string {
  return window.kind === "real" ? REAL_WINDOWS : `${shortTokens(window.tokens)} for messages and reply`;
}

/** `64k` for 64,000 and `1M` for a million; numbers that are not whole thousands in full. */
export function shortTokens(tokens: number): string {
  if (tokens > 0 && tokens % MILLION === 0) return `${tokens / MILLION}M`;
  return tokens > 0 && tokens % THOUSAND === 0 ? `${tokens / THOUSAND}k` : `${tokens}`;
}
