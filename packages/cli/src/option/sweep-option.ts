import { gridOf, type PolicySweep, parseAxis, type SweepSetting } from "@plimsoll/bench/internal";
import { isPlimsollError } from "@plimsoll/core";
import { type EnginePolicy, type Kinds, requireFallback } from "@plimsoll/core/build";

/** Policies after a sweep: those that never act as they were, of the others the whole grid. */
export interface SweptPolicies {
  readonly policies: readonly EnginePolicy[];
  /** By name the policies that are points of the sweep. */
  readonly sweeps: ReadonlyMap<string, PolicySweep>;
  readonly problems: readonly string[];
}

/** Puts the grid of all axes in the place of each acting policy. A policy without one of the numbers is left out with a line. */
export function sweepPolicies(policies: readonly EnginePolicy[], axes: readonly string[], kinds?: Kinds): SweptPolicies {
  if (axes.length === 0) return { policies, sweeps: new Map(), problems: [] };
  const parsed = axes.map(parseAxis);
  const swept: EnginePolicy[] = [];
  const sweeps = new Map<string, PolicySweep>();
  const problems: string[] = [];
  let hasGrid = false;
  for (const base of policies) {
    if (!base.enabled) {
      swept.push(base);
      continue;
    }
    try {
      for (const { policy, settings } of gridOf(requireFallback(base), parsed, kinds)) {
        swept.push(policy);
        hasGrid = true;
        const sweep = numericSweep(base.name, settings);
        if (sweep !== null) sweeps.set(policy.name, sweep);
      }
    } catch (error) {
      // Another policy may well have the number; what this one lacks is said.
      if (!isPlimsollError(error)) throw error;
      problems.push(`${base.name}: ${error.message}`);
    }
  }
  return { policies: hasGrid ? swept : [], sweeps, problems };
}

/** Words are not on an axis: they make another base, and the numbers alone are the sweep. `null` without a number. */
function numericSweep(base: string, settings: readonly SweepSetting[]): PolicySweep | null {
  const numbers = settings.flatMap(({ path, value }) => (typeof value === "number" ? [{ path, value }] : []));
  const words = settings.flatMap(({ path, value }) => (typeof value === "number" ? [] : [`${path}=${value}`]));
  return numbers.length === 0 ? null : { base: [base, ...words].join(" "), settings: numbers };
}
