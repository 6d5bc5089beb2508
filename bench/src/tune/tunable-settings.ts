import type { Policy } from "@plimsoll/core";
import { isKnobPath, isRecord, knobText } from "@plimsoll/core/extend";
import { isOwnRule, type SweepSetting } from "../sweep/grid.ts";
import { numbersAt } from "../sweep/policy-path.ts";

/** A number of a policy that the tuner changes, with the values that it tries. */
export interface TunableSetting {
  readonly path: string;
  /** The policy's own value; `null` if that is not one number, as a line that depends on the window. */
  readonly own: number | null;
  readonly values: readonly number[];
}

/** One value of a setting. */
export interface SettingValue {
  readonly path: string;
  readonly value: number;
}

/** Messages that stay are a number of their own kind. */
const KEPT_MESSAGES = "keep.recent.messages";

/** The cap that cuts nothing, and the amount of a rule that is left out. */
const UNCAPPED = 0;

/** A setting in the words of sweeps and policy files: `actAt=70%`, `keep.recent=12 messages`. */
export function settingWords({ path, value }: SettingValue): SweepSetting {
  if (path === KEPT_MESSAGES) return { path: "keep.recent", value: `${value} messages` };
  if (path !== "actAt" && value === UNCAPPED && isKnobPath(path)) return { path, value: "off" };
  return isKnobPath(path) ? { path, value: knobText(value) } : { path, value };
}

/**
 * Lists the settings that may be changed, the ones that matter most first. Shares of the room for a request are taken as they are; amounts and counts
 * are those in use among the presets and their neighbours. Chosen.
 */
function settingsOf(policy: Policy): readonly TunableSetting[] {
  const line = "atLeast" in policy.trigger ? policy.trigger.atLeast : policy.trigger.above;
  const own = (path: string, values: readonly number[], amount: unknown) => ({ path, own: shareOf(amount), values });
  const { pays } = policy.trigger;
  const at = own("actAt", pays === undefined ? [0.5, 0.7, 0.9] : [0.1, 0.25, 0.5], line);
  const first = pays === undefined ? at : { path: "pays", own: pays, values: [4, 12, 24] };
  return [
    first,
    ...ruleSettings(policy, "recent").map(({ amount, messages }): TunableSetting => {
      if (typeof messages === "number") return { path: KEPT_MESSAGES, own: messages, values: [4, 12, 30] };
      const tokens = isRecord(amount) && typeof amount.tokens === "number" ? amount.tokens : null;
      return tokens === null && isRecord(amount) && Object.hasOwn(amount, "ratio")
        ? own("keep.recent", [0.05, 0.15, 0.3], amount)
        : { path: "keep.recent", own: tokens, values: [6_000, 12_000, 20_000] };
    }),
    ...numbersAt(policy, "strategies.keepResults").map(({ value }) => ({
      path: "strategies.keepResults",
      own: value,
      values: [4, 10, 25],
    })),
    ...(first === at ? [] : [at]),
    { path: "cap", own: policy.truncation?.capTokens ?? 0, values: [8_000, UNCAPPED, 16_000, 32_000] },
    ...ruleSettings(policy, "recall").map(({ atMost }) => own("keep.recall", [0.1, 0.2, 0.3], atMost)),
    ...policy.keep.flatMap((rule) => ownRuleSettings({ ...rule })),
  ];
}

function ruleSettings({ keep }: Policy, kind: string): readonly Readonly<Record<string, unknown>>[] {
  return keep
    .filter((rule) => rule.kind === kind)
    .slice(0, 1)
    .map((rule) => ({ ...rule }));
}

/** A keep rule of somebody's own: without it, and with half and twice its amount. */
function ownRuleSettings({ kind, atMost }: Readonly<Record<string, unknown>>): readonly TunableSetting[] {
  if (!isRecord(atMost) || typeof kind !== "string" || !isOwnRule({ kind })) return [];
  const own = Number(atMost.tokens ?? atMost.ratio ?? 0);
  return own > 0 ? [{ path: `keep.${kind}`, own, values: [0, own / 2, own, own * 2].map(rounded) }] : [];
}

/** A share as a number, of the window or of the room for a request; `null` for any other amount. */
function shareOf(amount: unknown): number | null {
  return isRecord(amount) && typeof amount.ratio === "number" ? amount.ratio : null;
}

/** So many settings make up the coarse grid; those after them are only varied around its best, or the grid would take too long. */
export const COARSE_COUNT = 2;

/** Refinement tries values so far from the best, as shares of the way to its neighbours. */
const REFINE_RATIO = 0.5;

/** The settings of a policy that can be tuned, each with its own value among those tried, in the place of the one that is nearest to it; none if it never acts. */
export function tunableSettingsOf(policy: Policy): readonly TunableSetting[] {
  if (!policy.enabled) return [];
  return settingsOf(policy).map(({ path, own, values }) => ({
    path,
    own,
    values: own === null ? values : withOwn(values, own),
  }));
}

/** The combinations of the coarse grid: every value of the first settings with every other, all else as it is. Settings that are not one number also stay so. */
export function coarseSettings(tunable: readonly TunableSetting[]): readonly (readonly SettingValue[])[] {
  return combined(
    tunable
      .slice(0, COARSE_COUNT)
      .map(({ path, own, values }) => ({ path, values: own === null ? [null, ...values] : values })),
  );
}

/** Combinations around the best, half the way to its neighbours on each side, and those beside it. */
export function settingsAround(
  tunable: readonly TunableSetting[],
  best: readonly SettingValue[],
): readonly (readonly SettingValue[])[] {
  const around = tunable.slice(0, COARSE_COUNT).flatMap(({ path, values }) => {
    const value = best.find((setting) => setting.path === path)?.value;
    if (value === undefined) return [];
    const place = values.indexOf(value);
    const towards = [values[place - 1], values[place + 1]].flatMap((other) =>
      other === undefined ? [] : [rounded(value + (other - value) * REFINE_RATIO)],
    );
    return [{ path, values: sorted([...towards, value]) }];
  });
  return [...combined(around), ...settingsBeside(tunable, best)];
}

/** The best with each value of the settings that the grid left out, which come first: `actAt` turns an earlier `pays` off. */
export function settingsBeside(
  tunable: readonly TunableSetting[],
  best: readonly SettingValue[],
): readonly (readonly SettingValue[])[] {
  return tunable.slice(COARSE_COUNT).flatMap(({ path, values }) => values.map((value) => [{ path, value }, ...best]));
}

/** `null` leaves a setting as it is. */
function combined(
  tunable: readonly { readonly path: string; readonly values: readonly (number | null)[] }[],
): readonly (readonly SettingValue[])[] {
  let points: readonly (readonly SettingValue[])[] = [[]];
  for (const { path, values } of tunable)
    points = points.flatMap((settings) => values.map((value) => (value === null ? settings : [...settings, { path, value }])));
  return points;
}

function withOwn(values: readonly number[], own: number): readonly number[] {
  const nearest = values.reduce(
    (best, value) => (Math.abs(value - own) < Math.abs(best - own) ? value : best),
    values[0] ?? own,
  );
  return sorted([...values.filter((value) => value !== nearest), own]);
}

/** Shares to the hundredth, counts and tokens whole. */
function rounded(value: number): number {
  return value < 1 ? Math.round(value * 100) / 100 : Math.round(value);
}

function sorted(values: readonly number[]): readonly number[] {
  return [...new Set(values)].toSorted((a, b) => a - b);
}
