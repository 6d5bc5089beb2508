import { createHash } from "node:crypto";

/** One row of a baseline: a session under a policy in a window, its figures by name, and a hash of all that `report.json` has of it. */
/** @typedef {Readonly<Record<string, number | string | null>>} Figures */
/** @typedef {Readonly<Record<string, Figures>>} Baseline */

/** A change of less than this share is rounding in another order of the same sums. */
const ROUNDING_RATIO = 1e-9;

/**
 * The figures of a report that hold no clock and no machine.
 * @param {{ rows: readonly { session: string, policy: string, window: { kind: string, tokens: number }, metrics: any }[] }} report
 * @returns {Baseline}
 */
export function baselineOf(report) {
  return Object.fromEntries(
    report.rows.map((row) => [
      `${row.session} | ${row.policy} | ${row.window.tokens}`,
      { ...(row.metrics === null ? {} : figuresOf(row.metrics)), bytes: hashOf(row) },
    ]),
  );
}

const HASH_CHARS = 16;

/** @param {unknown} row */
function hashOf(row) {
  return createHash("sha256").update(JSON.stringify(row)).digest("hex").slice(0, HASH_CHARS);
}

/** @param {any} metrics @returns {Figures} */
function figuresOf({ safety, economy, cost, retention, rereads, work }) {
  return {
    overflows: safety.overflowingRequests,
    lost: safety.unrecoveredRequests,
    invalid: safety.invalidRequests,
    compactions: economy.compactions,
    promptTokens: economy.promptTokens,
    usdWithCache: cost.withCacheUsd,
    usdWithoutCache: cost.withoutCacheUsd,
    recalled: retention.all.recalled,
    sourceEvidenced: retention.all.sourceEvidenced,
    farSourceEvidenced: retention.far.sourceEvidenced,
    readingsGone: rereads.atRisk,
    charactersScanned: work.charactersScanned,
  };
}

/**
 * What moved, a line each; none if both say the same.
 * @param {Baseline} before
 * @param {Baseline} after
 * @returns {string[]}
 */
export function movedRows(before, after) {
  const rows = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return rows.flatMap((row) => {
    const [old, now] = [before[row], after[row]];
    if (old === undefined) return [`${row}: new`];
    if (now === undefined) return [`${row}: gone`];
    const figures = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    const moved = figures.flatMap((name) => {
      const [from, to] = [old[name] ?? null, now[name] ?? null];
      return isSame(from, to) ? [] : [`${name} ${shown(from)} → ${shown(to)}${shareText(from, to)}`];
    });
    return moved.length === 0 ? [] : [`${row}: ${moved.join(", ")}`];
  });
}

/** @param {number | string | null} from @param {number | string | null} to */
function isSame(from, to) {
  if (typeof from !== "number" || typeof to !== "number") return from === to;
  return Math.abs(from - to) <= ROUNDING_RATIO * Math.max(Math.abs(from), Math.abs(to));
}

/** @param {number | string | null} value */
function shown(value) {
  if (typeof value === "string") return value;
  return value === null ? "none" : String(Number(value.toPrecision(6)));
}

/** @param {number | string | null} from @param {number | string | null} to */
function shareText(from, to) {
  if (typeof from !== "number" || typeof to !== "number" || from === 0) return "";
  const percent = (100 * (to - from)) / from;
  return ` (${percent > 0 ? "+" : "−"}${Math.abs(percent).toFixed(1)} %)`;
}
