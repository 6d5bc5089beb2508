import { PlimsollError } from "@plimsoll/core";
import type { SweepAxis } from "./grid.ts";

/** Decimal places that values are rounded to, so that 0.5 + 0.05 + 0.05 is 0.6. */
const DECIMALS = 6;
const FORM = "give a path with a range or a list, such as trigger.ratio=0.5..0.95:0.05 or keep.messages=4,6,10";

/** Reads `path=from..through:step` or `path=a,b,c`. Throws `bad-input` for everything else. */
export function parseAxis(text: string): SweepAxis {
  const [path = "", range = "", ...more] = text.split("=");
  const bad = (why: string) => new PlimsollError("bad-input", `--sweep ${text}: ${why}`);
  if (path === "" || range === "" || more.length > 0) throw bad(FORM);
  const [from = "", rest, ...others] = range.split("..");
  const values =
    rest === undefined ? range.split(",").map(toNumber) : rangeValues(toNumber(from), rest.split(":").map(toNumber));
  if (others.length > 0 || values.length === 0 || values.some(Number.isNaN)) throw bad(FORM);
  return { path, values: [...new Set(values)] };
}

function toNumber(text: string): number {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}

function rangeValues(from: number, [through = Number.NaN, step = Number.NaN, ...more]: readonly number[]): readonly number[] {
  if (more.length > 0 || !(step > 0) || !(through >= from)) return [];
  const count = Math.floor((through - from) / step + 10 ** -DECIMALS) + 1;
  return Array.from({ length: Math.min(count, 10_000) }, (_, index) => Number((from + index * step).toFixed(DECIMALS)));
}
