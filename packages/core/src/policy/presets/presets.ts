import type { Policy } from "../policy.ts";
import { NONE_POLICY } from "./none.ts";
import { RECORDED_POLICY } from "./recorded.ts";
import { SVEN_POLICY } from "./sven.ts";

/** All presets, in the order in which tables show them. */
export const PRESETS: readonly Policy[] = [RECORDED_POLICY, NONE_POLICY, SVEN_POLICY];

/** The preset of that name, or `undefined`. */
export function presetNamed(name: string): Policy | undefined {
  return PRESETS.find((preset) => preset.name === name);
}
