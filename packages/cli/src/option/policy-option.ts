import type { Policy } from "@plimsoll/core";
import { isPlimsollError, PlimsollError, PRESETS, presetNamed } from "@plimsoll/core";
import { suggestion } from "./nearest-name.ts";

/** Policies of a run unless others are asked for. */
export const DEFAULT_POLICIES: readonly string[] = ["none", "sven"];

/** Policies that were found, and one line for each that was not. */
export interface ChosenPolicies {
  readonly policies: readonly Policy[];
  readonly problems: readonly string[];
}

/** Looks the policies up, each once, in the order in which they were asked for. */
export function choosePolicies(names: readonly string[]): ChosenPolicies {
  const policies: Policy[] = [];
  const problems: string[] = [];
  for (const name of new Set(names)) {
    try {
      policies.push(readPolicy(name));
    } catch (error) {
      // The other policies still run; the line says what to do about this one.
      if (!isPlimsollError(error)) throw error;
      problems.push(error.message);
    }
  }
  return { policies, problems };
}

function readPolicy(name: string): Policy {
  const preset = presetNamed(name);
  if (preset !== undefined) return preset;
  const names = PRESETS.map((known) => known.name);
  throw new PlimsollError("bad-policy", `unknown policy "${name}": ${suggestion(name, names)}`);
}
