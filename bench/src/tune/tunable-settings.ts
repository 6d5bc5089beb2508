import type { Policy } from "@plimsoll/core";
import { numbersAt } from "../sweep/policy-path.ts";

/** A number of a policy that the tuner changes, with the values that it tries. */
export interface TunableSetting {
  readonly path: string;
  /** The policy's own value. */
  readonly own: number;
  readonly values: readonly number[];
}

/** One value of a setting. */
export interface SettingValue {
  readonly path: string;
  readonly value: number;
}

/**
 * What may be changed, the settings that matter most first; of each group the first that the policy has. Shares of the window are taken as they are;
 * amounts and counts are those in use among the presets and their neighbours. Chosen.
 */
const GROUPS: readonly (readonly Omit<TunableSetting, "own">[])[] = [
  [
    { path: "trigger.ratio", values: [0.5, 0.7, 0.9] },
    { path: "trigger.max.tokens", values: [20_000, 50_000, 100_000] },
    { path: "trigger.tokens", values: [8_000, 16_384, 30_000] },
    { path: "trigger.upTo.ratio", values: [0.1, 0.3, 0.5] },
  ],
  [
    { path: "keep.recent.ratio", values: [0.05, 0.15, 0.3] },
    { path: "keep.recent.tokens", values: [6_000, 12_000, 20_000] },
    { path: "keep.recent.messages", values: [4, 12, 30] },
    { path: "keep.recent.amount.min.0.tokens", values: [6_000, 12_000, 20_000] },
  ],
  [{ path: "strategies.keepResults", values: [4, 10, 25] }],
  [
    { path: "keep.recall.ratio", values: [0.1, 0.2, 0.3] },
    { path: "keep.lines.ratio", values: [0.08, 0.15, 0.25] },
  ],
];

/** So many settings make up the coarse grid; those after them are only varied around its best, or the grid would take too long. */
const COARSE_COUNT = 2;

/** Refinement tries values so far from the best, as shares of the way to its neighbours. */
const REFINE_RATIO = 0.5;

/** The settings of a policy that can be tuned, each with its own value among those tried, in the place of the one that is nearest to it; none if it never acts. */
export function tunableSettingsOf(policy: Policy): readonly TunableSetting[] {
  if (!policy.enabled) return [];
  return GROUPS.flatMap((tunable): readonly TunableSetting[] => {
    const found = tunable.flatMap(({ path, values }) => {
      const [number, other] = numbersAt(policy, path);
      return number === undefined || other !== undefined
        ? []
        : [{ path, own: number.value, values: withOwn(values, number.value) }];
    });
    return found.slice(0, 1);
  });
}

/** The combinations of the coarse grid: every value of the first settings with every other, all else as it is. */
export function coarseSettings(tunable: readonly TunableSetting[]): readonly (readonly SettingValue[])[] {
  return combined(tunable.slice(0, COARSE_COUNT));
}

/** Combinations around the best: half the way to its neighbours on each side, and the values of the settings that the grid left out. */
export function fineSettings(
  tunable: readonly TunableSetting[],
  best: readonly SettingValue[],
): readonly (readonly SettingValue[])[] {
  const around = tunable.slice(0, COARSE_COUNT).map(({ path, values }) => {
    const value = best.find((setting) => setting.path === path)?.value ?? values[0] ?? 0;
    const place = values.indexOf(value);
    const towards = [values[place - 1], values[place + 1]].flatMap((other) =>
      other === undefined ? [] : [rounded(value + (other - value) * REFINE_RATIO)],
    );
    return { path, values: sorted([...towards, value]) };
  });
  const others = tunable.slice(COARSE_COUNT).flatMap(({ path, values }) => values.map((value) => [...best, { path, value }]));
  return [...combined(around), ...others];
}

function combined(tunable: readonly Omit<TunableSetting, "own">[]): readonly (readonly SettingValue[])[] {
  let points: readonly (readonly SettingValue[])[] = [[]];
  for (const { path, values } of tunable)
    points = points.flatMap((settings) => values.map((value) => [...settings, { path, value }]));
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
