import { PlimsollError, type Policy } from "@plimsoll/core";
import { BUILT_IN_KINDS, type Kinds, policySchema } from "@plimsoll/core/build";
import { type SweepValue, withValue } from "./policy-path.ts";

/** One value of a policy and what it takes in its place. */
export interface SweepAxis {
  readonly path: string;
  readonly values: readonly SweepValue[];
}

/** One value of an axis. */
export interface SweepSetting {
  readonly path: string;
  readonly value: SweepValue;
}

/** A policy of a grid: its settings, in the order of the axes, are in its name. */
export interface SweptPolicy {
  readonly policy: Policy;
  readonly base: string;
  readonly settings: readonly SweepSetting[];
}

/** Grids beyond this take longer than anyone waits (chosen). */
const MOST_POLICIES = 2_000;

/**
 * The policy at every point of the grid, of the kinds that are there. Throws `bad-input` if a path names no value, if a value is none that a policy may have, or
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

/** The policy with all settings, named after them. Throws `bad-input` as {@link gridOf} does. */
export function policyAt(base: Policy, settings: readonly SweepSetting[], kinds: Kinds = BUILT_IN_KINDS): SweptPolicy {
  const name = `${base.name} ${settings.map(({ path, value }) => `${path}=${value}`).join(" ")}`;
  let data: unknown = { ...base, name };
  for (const { path, value } of settings) data = withValue(data, path, value);
  const result = policySchema(kinds).safeParse(data);
  if (result.success) return { policy: result.data, base: base.name, settings };
  const [issue] = result.error.issues;
  throw new PlimsollError("bad-input", `${name}: no policy can have this value (${issue?.message ?? "unknown"})`);
}
