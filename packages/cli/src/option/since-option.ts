import { PlimsollError } from "@plimsoll/core";

const HOUR_MS = 3_600_000;
const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ["h", HOUR_MS],
  ["d", 24 * HOUR_MS],
  ["w", 7 * 24 * HOUR_MS],
]);

/**
 * A time in milliseconds since 1970: a day (`2026-01-31`, from midnight UTC), an ISO time, or a span before now (`12h`, `7d`, `4w`).
 * Throws `bad-input` for everything else.
 */
export function parseSince(text: string, nowMs: number): number {
  const [, count = "", unit = ""] = /^(\d{1,4})([hdw])$/.exec(text) ?? [];
  if (count !== "") return nowMs - Number(count) * (UNITS_MS.get(unit) ?? 0);
  const timeMs = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(timeMs)) {
    throw new PlimsollError("bad-input", `--since ${text}: give a day as 2026-01-31, or a span as 12h, 7d or 4w`);
  }
  return timeMs;
}
