import { PlimsollError, type Policy } from "@plimsoll/core";
import {
  amountOf,
  BUILT_IN_KINDS,
  canonicalJson,
  type EnginePolicy,
  isKnobPath,
  type Kinds,
  knobText,
  option,
  policySchema,
  retired,
  withKnob,
} from "@plimsoll/core/extend";
import { type SweepValue, withValue } from "./policy-path.ts";

interface SweepAxis {
  readonly path: string;
  readonly values: readonly SweepValue[];
}

/** One value that a sweep gives to the setting at a path. */
export interface SweepSetting {
  readonly path: string;
  readonly value: SweepValue;
}

/** A policy of a grid: its settings, in the order of the axes, are in its name. */
interface SweptPolicy {
  readonly policy: Policy;
  readonly base: string;
  readonly settings: readonly SweepSetting[];
}

/** Grids beyond this take longer than anyone waits (chosen). */
const MOST_POLICIES = 2_000;

/**
 * Makes the policy at every point of the grid; policies may name these kinds. Throws `bad-input` if a path names no value, if a value is none that a policy may have, or
 * if the grid has more than 2,000 points.
 */
export function gridOf(base: Policy, axes: readonly SweepAxis[], kinds: Kinds = BUILT_IN_KINDS): readonly SweptPolicy[] {
  const size = axes.reduce((product, { values }) => product * values.length, 1);
  if (size > MOST_POLICIES) throw new PlimsollError("bad-input", `the grid has ${size} points; at most ${MOST_POLICIES}`);
  let points: readonly (readonly SweepSetting[])[] = [[]];
  for (const { path, values } of axes)
    points = points.flatMap((settings) => values.map((value) => [...settings, { path, value }]));
  return points.map((settings) => policyAt(base, settings, kinds));
}

/** The end of a policy's name if a setting turned `pays` off. */
export const PAYS_OFF = "pays=off";

/** Makes the policy with these settings, and puts them into its name. Throws `bad-input` if a path names no value, or a value is none that a policy may have. */
export function policyAt(base: Policy, settings: readonly SweepSetting[], kinds: Kinds = BUILT_IN_KINDS): SweptPolicy {
  const isKnob = ({ path }: SweepSetting) => isKnobPath(path);
  const turned = settings.filter(isKnob).reduce((policy, { path, value }) => withKnob(policy, path, value), base);
  const words = settings.map(({ path, value }) => `${path}=${isKnobPath(path) && path !== "pays" ? knobText(value) : value}`);
  const isWritten = settings.some(({ path }) => path === "pays");
  // A written `actAt` turns `pays` off: another policy than one that writes neither.
  const isOff = base.trigger.pays !== undefined && turned.trigger.pays === undefined && !isWritten;
  const name = [base.name, ...words, ...(isOff ? [PAYS_OFF] : [])].join(" ");
  const rules = kinds.keepRules.map(({ kind }) => `keep.${kind}`);
  let data: unknown = { ...turned, name };
  for (const { path, value } of settings.filter((setting) => !isKnob(setting))) data = withValue(data, path, value, rules);
  const result = policySchema(kinds).safeParse(data);
  if (result.success) return { policy: result.data, base: base.name, settings };
  const [problem] = option.problems(result.error, policySchema(kinds));
  throw new PlimsollError("bad-input", `${name}: no policy can have this value: ${problem?.text ?? "unknown"}`);
}

/** A policy's name and its settings, as `plimsoll` and `cap=16k`. */
export const nameParts = (name: string): readonly string[] => name.split(/ (?=[A-Za-z][\w.-]*=)/);

/** True for a keep rule that is not built in. */
export const isOwnRule = (rule: { readonly kind: string }): boolean =>
  !BUILT_IN_KINDS.keepRules.some(({ kind }) => kind === rule.kind);

/** True if two policies differ at most in their names. */
export function isSamePolicy(one: EnginePolicy, other: EnginePolicy): boolean {
  return canonicalJson({ ...one, name: "" }) === canonicalJson({ ...other, name: "" });
}

/** The policy without a person's own keep rules, and without these settings in its name; itself if it has none. */
export function withoutOwnRules(policy: EnginePolicy): EnginePolicy {
  const own = policy.keep.filter(isOwnRule).map(({ kind }) => `keep.${kind}=`);
  if (own.length === 0) return policy;
  const { keep, manualKeep, overflow } = policy;
  const left = (rules: EnginePolicy["keep"]) => rules.filter((rule) => !isOwnRule(rule));
  const bare = nameParts(policy.name).filter((part) => !own.some((rule) => part.startsWith(rule)));
  const name = [...bare, ...(bare.join(" ") === policy.name ? own.map((rule) => `${rule}off`) : [])].join(" ");
  const rules = { keep: left(keep), manualKeep: manualKeep && left(manualKeep) };
  return { ...policy, ...rules, name, overflow: { ...overflow, keep: left(overflow.keep) } };
}

/** Decimal places that values are rounded to, so that 0.5 + 0.05 + 0.05 is 0.6. */
const DECIMALS = 6;
const FORM =
  "give a path with a range or a list, such as actAt=50%..95%:5%, cap=8k,16k, keep.messages=4,6,10 or summary.request=serialised,prefix";

/**
 * Reads `path=from..through:step` or `path=a,b,c`: numbers, shares as `75%`, sizes as `16k`; in lists words, `true`, `false` and `null`, too. A
 * knob's value keeps its written form, since it says more than a number does. Throws `bad-input` for everything else.
 */
export function parseAxis(text: string): SweepAxis {
  const [path = "", range = "", ...more] = text.split("=");
  retired.refuse(
    path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), range),
    [],
  );
  const bad = () => new PlimsollError("bad-input", `--sweep ${text}: ${FORM}`);
  if (path === "" || range === "" || more.length > 0) throw bad();
  const [from = "", rest, ...others] = range.split("..");
  if (others.length > 0) throw bad();
  const texts = rest === undefined ? range.split(",") : rangeTexts(from, rest.split(":"));
  const values = texts.map((each) => (isKnobPath(path) ? knobValue(each) : toValue(each)));
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0 || known.length < values.length) throw bad();
  return { path, values: [...new Set(known)] };
}

/** A setting's value as a number for an axis: a ratio (0.7 for `70%`), tokens or messages; `null` for words. */
export function numberOfSetting({ path, value }: SweepSetting): number | null {
  if (typeof value === "number") return value;
  if (!isKnobPath(path) || typeof value !== "string") return null;
  const plain = toValue(value.replace(/ messages?$/, ""));
  return typeof plain === "number" ? plain : null;
}

/** A word as policies have them: letters first, then digits, dots, slashes, colons and hyphens. */
const WORD = /^[A-Za-z][\w.:/-]*$/;
const NAMED_VALUES: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** Reads a knob's value, which is checked when the knob is turned. */
function knobValue(text: string): SweepValue | undefined {
  if (text === "") return undefined;
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

function toValue(text: string): SweepValue | undefined {
  const plain = knobValue(text);
  if (typeof plain === "number") return plain;
  const amount = amountOf(text);
  if (amount !== null) return "tokens" in amount ? amount.tokens : "ratio" in amount ? amount.ratio : undefined;
  const value = NAMED_VALUES.get(text);
  if (value !== undefined) return value;
  return WORD.test(text) ? text : undefined;
}

/** The points of a range, each with the unit that its three numbers share: nothing, `%`, `k` or `m`. */
function rangeTexts(from: string, [through = "", step = "", ...more]: readonly string[]): readonly string[] {
  const parts = [from, through, step].map((each) => /^(\d+(?:\.\d+)?)([%km]?)$/i.exec(each));
  const [unit, ...others] = parts.map((part) => part?.[2]);
  const [first = Number.NaN, last = Number.NaN, by = Number.NaN] = parts.map((part) => Number(part?.[1]));
  if (more.length > 0 || unit === undefined || others.some((each) => each !== unit) || !(by > 0) || !(last >= first)) return [];
  const count = Math.floor((last - first) / by + 10 ** -DECIMALS) + 1;
  return Array.from(
    { length: Math.min(count, 10_000) },
    (_, index) => `${Number((first + index * by).toFixed(DECIMALS))}${unit}`,
  );
}
