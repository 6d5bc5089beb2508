import type { IsBoundReasoning } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { stringAt } from "../fields.ts";
import { modelFamily } from "./model-limits.ts";

interface BindingVendor {
  readonly prefixes: readonly string[];
  readonly binding: readonly string[];
  /** Families that do not: those that begin so, and those whose whole name it is. A family of neither list binds its signed thinking. */
  readonly free: readonly string[];
  readonly freeNames: readonly string[];
  readonly checkedOn: string;
  readonly source: string;
}

/** The vendors whose newer models refuse reasoning over a changed prefix, or drop it silently. */
const BINDING_VENDORS: readonly BindingVendor[] = [
  {
    // Refused with an error, or dropped if the request says so; on accounts of before 2026-08-31 it depends on the model.
    prefixes: ["claude"],
    binding: [
      "claude-fable-5-1",
      "claude-fable-5-2",
      "claude-mythos-5-1",
      "claude-mythos-5-2",
      "claude-opus-5-5",
      "claude-sonnet-5-5",
      "claude-haiku-5-5",
    ],
    free: [
      "claude-2",
      "claude-3",
      "claude-instant",
      "claude-sonnet-4",
      "claude-opus-4",
      "claude-haiku-4",
      "claude-mythos-preview",
    ],
    freeNames: ["claude-opus-5", "claude-sonnet-5", "claude-fable-5", "claude-mythos-5"],
    checkedOn: "2026-11-25",
    source: "platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks",
  },
  {
    // Dropped without an error; `input_transformations` of the answer says so. The first such model is not documented: "newer frontier models".
    prefixes: ["gpt-", "o1", "o3", "o4", "codex", "chatgpt"],
    binding: ["gpt-6"],
    free: ["gpt-3", "gpt-4", "gpt-5", "gpt-oss", "o1", "o3", "o4", "codex", "chatgpt"],
    freeNames: [],
    checkedOn: "2026-11-25",
    source: "developers.openai.com/api/docs/guides/keep-prefix-unchanged",
  },
];

/**
 * True if a model accepts earlier reasoning only after an unchanged beginning, by tables of Claude and OpenAI models. False for other makers' and unknown models: if they
 * refuse reasoning, Plimsoll recovers.
 */
export const isBoundReasoning: IsBoundReasoning = (part, modelId) => {
  const type = stringAt(part?.opaque, "type");
  // A block of the vendor's own tools is kept beside reasoning and is none.
  if (modelId === null || (type !== null && !/thinking|reasoning/.test(type))) return false;
  const named = ownName(modelId);
  if (named === null) return false;
  const { vendor, family } = named;
  const beginsWith = (prefixes: readonly string[]) => prefixes.some((prefix) => family.startsWith(prefix));
  if (beginsWith(vendor.binding)) return true;
  if (beginsWith(vendor.free) || vendor.freeNames.includes(family)) return false;
  // A text that is all there is, is a seal.
  return part === null || (typeof part.opaque === "string" ? part.opaque !== "" : isSealed(part.opaque));
};

/** The vendor's own name of a model, without the prefix of hosts (`databricks-…`) and the variant of routers and clouds (`…:thinking`, `…@default`). */
function ownName(modelId: string): { readonly vendor: BindingVendor; readonly family: string } | null {
  const family = modelFamily(modelId).replace(/[:@].*$/, "");
  for (const vendor of BINDING_VENDORS)
    for (const prefix of vendor.prefixes) {
      const at = `-${family}`.indexOf(`-${prefix}`);
      if (at >= 0) return { vendor, family: family.slice(at) };
    }
  return null;
}

/** Keys under which wires and SDKs keep signed or sealed data. */
const SEAL = /^(?:signature|data|redactedData|encrypted_content|reasoningEncryptedContent|thinkingSignature)$/;

/** True for reasoning with a seal: at its top, among a provider's options or in a list. */
function isSealed(opaque: unknown): boolean {
  if (Array.isArray(opaque)) return opaque.some(isSealed);
  const isSeal = ([key, value]: readonly [string, unknown]) => (SEAL.test(key) && typeof value === "string") || isSealed(value);
  return isRecord(opaque) && Object.entries(opaque).some(isSeal);
}
