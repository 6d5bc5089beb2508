import type { Policy } from "../policy.ts";
import { KLAUDE_CODE_DOCUMENT_POLICY, KLAUDE_CODE_POLICY } from "./klaude-code.ts";
import { NONE_POLICY, RECORDED_POLICY } from "./none.ts";
import { OPAL_POLICY } from "./opal.ts";
import { PI_POLICY } from "./pi.ts";
import { PLIMSOLL_ECONOMY_POLICY, PLIMSOLL_MODEL_POLICY, PLIMSOLL_POLICY, PLIMSOLL_VENDOR_POLICY } from "./plimsoll.ts";
import { SVEN_CI_POLICY, SVEN_INTERACTIVE_POLICY, SVEN_POLICY } from "./sven.ts";

/** All presets, in the order in which tables show them. */
export const PRESETS: readonly Policy[] = [
  RECORDED_POLICY,
  NONE_POLICY,
  SVEN_POLICY,
  SVEN_CI_POLICY,
  SVEN_INTERACTIVE_POLICY,
  OPAL_POLICY,
  KLAUDE_CODE_POLICY,
  KLAUDE_CODE_DOCUMENT_POLICY,
  PI_POLICY,
  PLIMSOLL_POLICY,
  PLIMSOLL_ECONOMY_POLICY,
  PLIMSOLL_MODEL_POLICY,
  PLIMSOLL_VENDOR_POLICY,
];

/** The preset of that name, or `undefined`. */
export function presetNamed(name: string): Policy | undefined {
  return PRESETS.find((preset) => preset.name === name);
}
