import type { z } from "zod";
import { isRecord } from "../json.ts";
import type { Policy } from "./policy.ts";
import { PI_SETTINGS, piPolicy } from "./presets/pi.ts";
import { SVEN_SETTINGS, svenPolicy } from "./presets/sven.ts";

/** Another system's configuration section, from which a policy is made. */
export interface PolicyOverlay {
  /** The section's key in a configuration file. */
  readonly key: "agent" | "compaction";
  /** The preset that it changes. */
  readonly presetName: "sven" | "pi";
  readonly schema: z.ZodType;
  /** The section's values in a file's content. */
  valuesIn(content: Readonly<Record<string, unknown>>): unknown;
  /**
   * The policy of a section's values.
   *
   * @throws z.ZodError for values that the schema rejects; PlimsollError `bad-policy` for values that contradict each other.
   */
  policyOf(values: unknown): Policy;
}

/** All sections that Plimsoll understands. A file may have one of them or a policy, not both. */
export const POLICY_OVERLAYS: readonly PolicyOverlay[] = [
  {
    key: "agent",
    presetName: "sven",
    schema: SVEN_SETTINGS,
    valuesIn: ({ agent }) => agent ?? {},
    policyOf: (values) => svenPolicy(SVEN_SETTINGS.parse(values)),
  },
  {
    key: "compaction",
    presetName: "pi",
    schema: PI_SETTINGS,
    valuesIn: withWindow,
    policyOf: (values) => piPolicy(PI_SETTINGS.parse(values)),
  },
];

/** The values of `compaction`; the window at the top of the file counts if the section has none. */
function withWindow({ compaction, context_window: window }: Readonly<Record<string, unknown>>): unknown {
  const section = compaction ?? {};
  if (!isRecord(section) || window === undefined) return section;
  const { context_window: own } = section;
  return typeof window === "number" && typeof own === "number" && own > 0 ? section : { ...section, context_window: window };
}
