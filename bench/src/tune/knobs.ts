import type { Policy } from "@plimsoll/core";
import type { SweepAxis } from "../sweep/grid.ts";
import { numbersAt } from "../sweep/policy-path.ts";

/** A number that the tuner turns: its path, how it is looked for, and how fine it is turned in the end. */
interface Knob {
  readonly path: string;
  readonly values: readonly number[];
}

/**
 * What may be turned, the most telling first; of each group the first that the policy has. Shares of the window are taken as they are;
 * amounts and counts are those in use among the presets and their neighbours. Chosen.
 */
const GROUPS: readonly (readonly Knob[])[] = [
  [
    { path: "trigger.ratio", values: [0.5, 0.7, 0.9] },
    { path: "trigger.tokens", values: [8_000, 16_384, 30_000] },
  ],
  [
    { path: "keep.ratio", values: [0.15, 0.3, 0.45] },
    { path: "keep.tokens", values: [6_000, 12_000, 20_000] },
    { path: "keep.messages", values: [4, 12, 30] },
  ],
  [{ path: "strategies.keepResults", values: [4, 25] }],
  [{ path: "excerpts.ratio", values: [0.08, 0.25] }],
];

/** Refinement tries values so far from the best, as shares of the way to its neighbours. */
const REFINE_RATIO = 0.5;

/** The axes of a coarse grid over a policy; none where it has nothing to turn. The policy's own value is always among them. */
export function coarseAxes(policy: Policy): readonly SweepAxis[] {
  if (!policy.enabled) return [];
  return GROUPS.flatMap((knobs): readonly SweepAxis[] => {
    const found = knobs.flatMap(({ path, values }) => {
      const [number, other] = numbersAt(policy, path);
      return number === undefined || other !== undefined ? [] : [{ path, values: sorted([...values, number.value]) }];
    });
    return found.slice(0, 1);
  });
}

/** The axes around a setting: half the way to its neighbours on each side, and itself. */
export function refinedAxes(
  axes: readonly SweepAxis[],
  best: readonly { readonly path: string; readonly value: number }[],
): readonly SweepAxis[] {
  return axes.map(({ path, values }) => {
    const value = best.find((setting) => setting.path === path)?.value ?? values[0] ?? 0;
    const place = values.indexOf(value);
    const towards = [values[place - 1], values[place + 1]].flatMap((other) =>
      other === undefined ? [] : [rounded(value + (other - value) * REFINE_RATIO)],
    );
    return { path, values: sorted([...towards, value]) };
  });
}

/** Shares to the hundredth, counts and tokens whole. */
function rounded(value: number): number {
  return value < 1 ? Math.round(value * 100) / 100 : Math.round(value);
}

function sorted(values: readonly number[]): readonly number[] {
  return [...new Set(values)].toSorted((a, b) => a - b);
}
