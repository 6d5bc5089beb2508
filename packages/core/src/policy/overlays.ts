import { z } from "zod";
import { isRecord } from "../json.ts";
import type { Policy } from "./policy.ts";
import { PI_DEFAULTS, type PiSettings, piPolicy } from "./presets/pi.ts";
import { SVEN_DEFAULTS, type SvenSettings, svenPolicy } from "./presets/sven.ts";

/** The keys of sven's configuration reference: strict, each with its documented default. */
const svenSettingsSchema: z.ZodType<SvenSettings> = z.strictObject({
  compaction_threshold: z.number().min(0).max(1).default(SVEN_DEFAULTS.compaction_threshold),
  compaction_keep_recent: z.int().nonnegative().default(SVEN_DEFAULTS.compaction_keep_recent),
  compaction_strategy: z.enum(["structured", "narrative"]).default(SVEN_DEFAULTS.compaction_strategy),
  tool_result_token_cap: z.int().nonnegative().default(SVEN_DEFAULTS.tool_result_token_cap),
  compaction_overhead_reserve: z.number().min(0).max(1).default(SVEN_DEFAULTS.compaction_overhead_reserve),
});

/** The keys of the Go agent's `compaction:` section: strict, each with its documented default. */
const piSettingsSchema: z.ZodType<PiSettings> = z.strictObject({
  enabled: z.boolean().default(PI_DEFAULTS.enabled),
  context_window: z.int().nonnegative().default(PI_DEFAULTS.context_window),
  reserve_tokens: z.int().nonnegative().default(PI_DEFAULTS.reserve_tokens),
  keep_recent_tokens: z.int().nonnegative().default(PI_DEFAULTS.keep_recent_tokens),
});

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
    schema: svenSettingsSchema,
    valuesIn: ({ agent }) => agent ?? {},
    policyOf: (values) => svenPolicy(svenSettingsSchema.parse(values)),
  },
  {
    key: "compaction",
    presetName: "pi",
    schema: piSettingsSchema,
    valuesIn: withWindow,
    policyOf: (values) => piPolicy(piSettingsSchema.parse(values)),
  },
];

/** The values of `compaction`; the window at the top of the file counts if the section has none. */
function withWindow({ compaction, context_window: window }: Readonly<Record<string, unknown>>): unknown {
  const section = compaction ?? {};
  if (!isRecord(section) || window === undefined) return section;
  const { context_window: own } = section;
  return typeof window === "number" && typeof own === "number" && own > 0 ? section : { ...section, context_window: window };
}
