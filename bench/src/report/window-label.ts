import type { WindowSpec } from "../results.ts";

const THOUSAND = 1_000;

/** A window in words, e.g. `working room 64k`. Real windows differ from model to model and go by one label. */
export function windowLabel(window: WindowSpec): string {
  return window.kind === "real" ? "real window" : `working room ${shortTokens(window.tokens)}`;
}

/** `64k` for 64,000; numbers that are not whole thousands in full. */
function shortTokens(tokens: number): string {
  return tokens % THOUSAND === 0 ? `${tokens / THOUSAND}k` : `${tokens}`;
}
