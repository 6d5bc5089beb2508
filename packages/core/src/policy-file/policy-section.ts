import { basename, extname } from "node:path";
import { z } from "zod";
import { isPlimsollError } from "../error.ts";
import { isRecord } from "../json.ts";
import type { Policy } from "../policy/policy.ts";
import { PI_DEFAULTS, type PiSettings, piPolicy, resolveContextWindow } from "../policy/presets/pi.ts";
import { presetNamed } from "../policy/presets/presets.ts";
import { SVEN_DEFAULTS, type SvenSettings, svenPolicy } from "../policy/presets/sven.ts";
import { schemaProblems } from "./schema-problems.ts";
import type { ReadPolicy, YamlDocument } from "./yaml-document.ts";

/** The keys of sven's configuration reference: strict, each with its documented default. */
export const svenSettingsSchema: z.ZodType<SvenSettings> = z.strictObject({
  compaction_threshold: z.number().min(0).max(1).default(SVEN_DEFAULTS.compaction_threshold),
  compaction_keep_recent: z.int().nonnegative().default(SVEN_DEFAULTS.compaction_keep_recent),
  compaction_strategy: z.enum(["structured", "narrative"]).default(SVEN_DEFAULTS.compaction_strategy),
  tool_result_token_cap: z.int().nonnegative().default(SVEN_DEFAULTS.tool_result_token_cap),
  compaction_overhead_reserve: z.number().min(0).max(1).default(SVEN_DEFAULTS.compaction_overhead_reserve),
});

/** The keys of the Go agent's `compaction:` section: strict, each with its documented default. */
export const piSettingsSchema: z.ZodType<PiSettings> = z.strictObject({
  enabled: z.boolean().default(PI_DEFAULTS.enabled),
  context_window: z.int().nonnegative().default(PI_DEFAULTS.context_window),
  reserve_tokens: z.int().nonnegative().default(PI_DEFAULTS.reserve_tokens),
  keep_recent_tokens: z.int().nonnegative().default(PI_DEFAULTS.keep_recent_tokens),
});

/** Another system's configuration section, from which a policy is made. */
interface PolicyOverlay {
  /** The section's key in a configuration file. */
  readonly key: "agent" | "compaction";
  /** The preset that it changes. */
  readonly presetName: "sven" | "pi";
  readonly schema: z.ZodType;
  /**
   * The policy of a section's values.
   *
   * @throws z.ZodError for values that the schema rejects; PlimsollError `bad-policy` for values that contradict each other.
   */
  policyOf(values: unknown): Policy;
}

/** All sections that are understood. A file may have one of them, or a policy, and not two. */
export const POLICY_OVERLAYS: readonly PolicyOverlay[] = [
  {
    key: "agent",
    presetName: "sven",
    schema: svenSettingsSchema,
    policyOf: (values) => svenPolicy(svenSettingsSchema.parse(values)),
  },
  {
    key: "compaction",
    presetName: "pi",
    schema: piSettingsSchema,
    policyOf: (values) => piPolicy(piSettingsSchema.parse(values)),
  },
];

/** Keys of a file that each choose a policy; two of them contradict each other. */
const CHOOSING_KEYS: readonly string[] = ["policy", ...POLICY_OVERLAYS.map(({ key }) => key)];

/** Keys that may stand next to a section: a name, and the Go agent's window for all of its parts. */
const KEYS_BESIDE: Readonly<Record<PolicyOverlay["key"], readonly string[]>> = {
  agent: ["name"],
  compaction: ["name", "context_window"],
};

/**
 * The policy of a file that has another system's configuration section, under the names that its document gives the keys; `null` for a file
 * without one. A section next to a policy, or to another section, is a problem that names both lines.
 */
export function readPolicySection(document: YamlDocument, displayName: string): ReadPolicy | null {
  const chosen = CHOOSING_KEYS.filter((key) => Object.hasOwn(document.content, key));
  const overlay = POLICY_OVERLAYS.find(({ key }) => chosen.includes(key));
  if (overlay === undefined) return null;
  const [first, second] = chosen;
  if (first !== undefined && second !== undefined) {
    const [one, other] = [first, second].map((key) => `${key} (line ${lineOf(document, key)})`);
    return { problems: [`${displayName}:${document.placeOf([second])}: ${one} and ${other} both choose a policy; keep one`] };
  }
  const beside = Object.keys(document.content).filter((key) => key !== overlay.key && !KEYS_BESIDE[overlay.key].includes(key));
  if (beside.length > 0) {
    const says = `cannot be next to ${overlay.key}; the file may hold ${KEYS_BESIDE[overlay.key].join(", ")} there`;
    return { problems: beside.map((key) => `${displayName}:${document.placeOf([key])}: "${key}" ${says}`) };
  }
  return fromSection(document, displayName, overlay);
}

function fromSection(document: YamlDocument, displayName: string, overlay: PolicyOverlay): ReadPolicy {
  const values = withWindow(document, overlay);
  const parsed = overlay.schema.safeParse(values);
  if (!parsed.success) {
    const problems = schemaProblems(parsed.error.issues, z.toJSONSchema(overlay.schema, { io: "input" }));
    const at = (path: readonly PropertyKey[]) => document.placeOf([overlay.key, ...path]);
    return { problems: problems.map(({ path, text }) => `${displayName}:${at(path)}: ${text}`) };
  }
  const given = document.content.name;
  const name = typeof given === "string" && given !== "" ? given : basename(displayName, extname(displayName));
  try {
    const policy = { ...overlay.policyOf(values), name };
    return { found: { policy, originOf: (path) => originOf(path, { document, displayName, overlay, policy }) } };
  } catch (error) {
    // Values that are right one by one may contradict each other; anything else is a bug.
    if (!isPlimsollError(error, "bad-policy")) throw error;
    return { problems: [`${displayName}:${document.placeOf([overlay.key])}: ${error.message}`] };
  }
}

/** The section's values; the window at the top of the file counts if the section has none. */
function withWindow({ content }: YamlDocument, { key }: PolicyOverlay): unknown {
  const section = content[key] ?? {};
  const window = content.context_window;
  if (!isRecord(section) || key !== "compaction" || window === undefined) return section;
  const own = typeof section.context_window === "number" ? section.context_window : null;
  if (typeof window !== "number") return { ...section, context_window: window };
  const { tokens } = resolveContextWindow({ compaction: own, configuration: window, modelRegistry: null });
  return { ...section, context_window: tokens ?? 0 };
}

interface SectionOrigin {
  readonly document: YamlDocument;
  readonly displayName: string;
  readonly overlay: PolicyOverlay;
  readonly policy: Policy;
}

/** The line of the first key of the section that changes this value by itself, else the preset. */
function originOf(path: readonly PropertyKey[], { document, displayName, overlay, policy }: SectionOrigin): string {
  if (path[0] === "name") return lineOf(document, "name") === null ? "file name" : `${displayName}:${lineOf(document, "name")}`;
  const preset = presetNamed(overlay.presetName);
  if (sameAt(path, preset, policy)) return `preset ${overlay.presetName}`;
  const section = document.content[overlay.key];
  const keys = isRecord(section) ? Object.entries(section) : [];
  const causing = keys.find(([key, value]) => !sameAt(path, preset, changedBy(overlay, key, value)));
  const place = causing === undefined ? [overlay.key] : [overlay.key, causing[0]];
  return `${displayName}:${document.lineOf(place) ?? document.lineOf([overlay.key]) ?? 1}`;
}

/** The policy with one key set alone; the preset if that is no policy. */
function changedBy(overlay: PolicyOverlay, key: string, value: unknown): unknown {
  try {
    return overlay.policyOf({ [key]: value });
  } catch {
    // A value that holds only together with others explains nothing by itself.
    return presetNamed(overlay.presetName);
  }
}

function sameAt(path: readonly PropertyKey[], one: unknown, other: unknown): boolean {
  return JSON.stringify(valueAt(one, path)) === JSON.stringify(valueAt(other, path));
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => {
    if (Array.isArray(at)) return at[Number(key)];
    return isRecord(at) ? at[String(key)] : undefined;
  }, value);
}

function lineOf(document: YamlDocument, key: string): number | null {
  return Object.hasOwn(document.content, key) ? Number(document.placeOf([key]).split(":")[0]) : null;
}
