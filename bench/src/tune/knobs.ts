import type { Policy } from "@plimsoll/core";
import { numbersAt } from "../sweep/policy-path.ts";

/** A number that the tuner turns, with the values that it tries. */
export interface Knob {
  readonly path: string;
  /** The policy's own value. */
  readonly own: number;
  readonly values: readonly number[];
}

/** One value of a knob. */
export interface KnobSetting {
  readonly path: string;
  readonly value: number;
}

/**
 * What may be turned, the most telling first; of each group the first that the policy has. Shares of the window are taken as they are;
 * amounts and counts are those in use among the presets and their neighbours. Chosen.
 */
const GROUPS: readonly (readonly Omit<Knob, "own">[])[] = [
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
  [{ path: "keep.lines.ratio", values: [0.08, 0.15, 0.25] }],
];

/** So many knobs make up the coarse grid; those behind them are turned around its best alone, or the grid would take too long. */
const COARSE_KNOBS = 2;

/** Refinement tries values so far from the best, as shares of the way to its neighbours. */
const REFINE_RATIO = 0.5;

/** The knobs of a policy, each with its own value among those tried, in the place of the one that is nearest to it; none where it never acts. */
export function knobsOf(policy: Policy): readonly Knob[] {
  if (!policy.enabled) return [];
  return GROUPS.flatMap((knobs): readonly Knob[] => {
    const found = knobs.flatMap(({ path, values }) => {
      const [number, other] = numbersAt(policy, path);
      return number === undefined || other !== undefined
        ? []
        : [{ path, own: number.value, values: withOwn(values, number.value) }];
    });
    return found.slice(0, 1);
  });
}

/** The settings of the coarse grid: every value of the first knobs with every other, all else as it is. */
export function coarseSettings(knobs: readonly Knob[]): readonly (readonly KnobSetting[])[] {
  return combined(knobs.slice(0, COARSE_KNOBS));
}

/** Settings around the best: half the way to its neighbours on each side, and the values of the knobs that the grid left out. */
export function fineSettings(knobs: readonly Knob[], best: readonly KnobSetting[]): readonly (readonly KnobSetting[])[] {
  const around = knobs.slice(0, COARSE_KNOBS).map(({ path, values }) => {
    const value = best.find((setting) => setting.path === path)?.value ?? values[0] ?? 0;
    const place = values.indexOf(value);
    const towards = [values[place - 1], values[place + 1]].flatMap((other) =>
      other === undefined ? [] : [rounded(value + (other - value) * REFINE_RATIO)],
    );
    return { path, values: sorted([...towards, value]) };
  });
  const others = knobs.slice(COARSE_KNOBS).flatMap(({ path, values }) => values.map((value) => [...best, { path, value }]));
  return [...combined(around), ...others];
}

function combined(knobs: readonly Omit<Knob, "own">[]): readonly (readonly KnobSetting[])[] {
  let points: readonly (readonly KnobSetting[])[] = [[]];
  for (const { path, values } of knobs)
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
