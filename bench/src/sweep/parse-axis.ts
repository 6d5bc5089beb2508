import { PlimsollError } from "@plimsoll/core";
import type { SweepAxis } from "./grid.ts";
import type { SweepValue } from "./policy-path.ts";

/** Decimal places that values are rounded to, so that 0.5 + 0.05 + 0.05 is 0.6. */
const DECIMALS = 6;
const FORM =
  "give a path with a range or a list, such as trigger.ratio=0.5..0.95:0.05, keep.messages=4,6,10 or summary.request=serialised,prefix";

/** Reads `path=from..through:step` or `path=a,b,c`, in lists words, `true`, `false` and `null`, too. Throws `bad-input` for everything else. */
export function parseAxis(text: string): SweepAxis {
  const [path = "", range = "", ...more] = text.split("=");
  const bad = () => new PlimsollError("bad-input", `--sweep ${text}: ${FORM}`);
  if (path === "" || range === "" || more.length > 0) throw bad();
  const [from = "", rest, ...others] = range.split("..");
  if (others.length > 0) throw bad();
  const values =
    rest === undefined ? range.split(",").map(toValue) : rangeValues(toNumber(from), rest.split(":").map(toNumber));
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0 || known.length < values.length) throw bad();
  return { path, values: [...new Set(known)] };
}

/** A word as policies have them: letters first, then digits, dots, slashes, colons and hyphens. */
const WORD = /^[A-Za-z][\w.:/-]*$/;
const NAMED_VALUES: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

function toValue(text: string): SweepValue | undefined {
  const number = toNumber(text);
  if (!Number.isNaN(number)) return number;
  const value = NAMED_VALUES.get(text);
  if (value !== undefined) return value;
  return WORD.test(text) ? text : undefined;
}

function toNumber(text: string): number {
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}

function rangeValues(from: number, [through = Number.NaN, step = Number.NaN, ...more]: readonly number[]): readonly number[] {
  if (more.length > 0 || !(step > 0) || !(through >= from)) return [];
  const count = Math.floor((through - from) / step + 10 ** -DECIMALS) + 1;
  return Array.from({ length: Math.min(count, 10_000) }, (_, index) => Number((from + index * step).toFixed(DECIMALS)));
}
