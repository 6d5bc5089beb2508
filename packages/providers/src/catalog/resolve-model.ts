import type { ModelLimits, Policy } from "@plimsoll/core";
import { option } from "@plimsoll/core/extend";
import { findProvider } from "@pydantic/genai-prices";
import { distance } from "fastest-levenshtein";
import { z } from "zod";
import type { ModelPrices } from "../economics.ts";
import { isNamed, MAKERS } from "./known-names.ts";
import {
  ALIASES,
  FAMILY_LIMITS,
  familyLimitsOf,
  isLocalHost,
  LIMITS_CHECKED_ON,
  type ModelReference,
  modelFamily,
  parseModelReference,
  requestLimitsOf,
  type TokenizerFamily,
  tokenizerOf,
} from "./model-limits.ts";
import { contextWindowOf, PRICE_OVERRIDES, PRICES_AS_OF, priceSourceOf, pricesOf } from "./model-prices.ts";
import type { ProbedLimits } from "./probe-server.ts";

/** Where a figure comes from, in the order in which it is looked for. */
type LimitSource = "config" | "catalogue" | "server" | "policy" | "unknown";

interface SourcedTokens {
  readonly tokens: number | null;
  readonly source: LimitSource;
  readonly note: string | null;
}

/** Everything that is known of a model that is about to be used. */
export interface ResolvedModel extends ModelReference {
  readonly contextWindow: SourcedTokens;
  readonly maxInput: SourcedTokens;
  readonly maxOutput: SourcedTokens;
  /** The limits as the engine takes them. */
  readonly limits: ModelLimits;
  readonly prices: ModelPrices | null;
  /** The same at a time in milliseconds since 1970. */
  readonly pricesAt: (atMs: number | null) => ModelPrices | null;
  /** The table of the prices, and their name there; `null` if unknown. */
  readonly priceSource: string | null;
  readonly tokenizer: TokenizerFamily;
}

/** The sources that a model is resolved from. */
export interface ModelResolution {
  /** `model`, `host/model`, an alias or a dated id. */
  readonly reference: string;
  /** The person's own settings; `null` for each that is not set. */
  readonly config?: ModelLimits;
  /** Asks the serving server; called only if config and catalogue do not know the window. */
  readonly probe?: (modelId: string) => Promise<ProbedLimits | null>;
  readonly unknownWindow: Policy["unknownWindow"];
}

const RESOLUTION = option.schema<ModelResolution>({
  reference: option.text,
  config: option.limits.optional(),
  probe: option.fn.optional(),
  unknownWindow: z.union([z.literal("off"), z.strictObject({ tokens: option.count })]),
});

/**
 * Returns a model's limits by the catalogue, with a reply of the length that a request asks for; `null` for an unknown model and for one on a server of this machine.
 * They never allow a larger prompt than the vendor takes.
 */
export function catalogLimits(modelId: string, askedTokens: number | null = null): ModelLimits | null {
  const reference = parseModelReference(modelId);
  const windowTokens = isLocalHost(reference.host) ? null : contextWindowOf(reference.modelId, reference.host);
  if (windowTokens === null) return null;
  const family = isNamed(reference.modelId) ? familyLimitsOf(reference.modelId) : null;
  const { maxInputTokens = null, maxOutputTokens: longestTokens = null } = family ?? {};
  const maxOutputTokens = askedTokens ?? longestTokens;
  const contextWindowTokens = Math.min(windowTokens, (maxInputTokens ?? windowTokens) + (maxOutputTokens ?? 0));
  return { contextWindowTokens, maxOutputTokens, request: requestLimitsOf(reference.modelId) };
}

/**
 * Returns the limits that `limitsOf` knows of a model; the catalogue's by default.
 *
 * @throws PlimsollError `bad-input` for an unknown model, with the nearest ones.
 */
export function knownLimits(modelId: string, limitsOf: (modelId: string) => ModelLimits | null = catalogLimits): ModelLimits {
  return option.limitsOf(modelId, limitsOf, () => {
    const near = nearestModels(modelId);
    return near.length === 0 ? "" : `did you mean ${near.join(", ")}? Else `;
  });
}

/**
 * Finds a model's window, prices and other facts: config first, then the catalogue, then the server, then the policy's `unknownWindow`. The catalogue does not apply to a
 * server on this machine, which runs models with windows of its own.
 */
export async function resolveModel(resolution: ModelResolution): Promise<ResolvedModel> {
  option.check("a model", RESOLUTION, resolution);
  const reference = parseModelReference(resolution.reference);
  const { modelId, host } = reference;
  const { config, unknownWindow } = resolution;
  const isLocal = isLocalHost(host);
  const family = isLocal || !isNamed(modelId) ? null : familyLimitsOf(modelId);
  const listedTokens = isLocal ? null : contextWindowOf(modelId, host);
  const windowKnown = config?.contextWindowTokens ?? family?.contextWindowTokens ?? listedTokens;
  const probed = windowKnown === null ? ((await resolution.probe?.(modelId)) ?? null) : null;
  const table = `limits of ${LIMITS_CHECKED_ON}`;
  const contextWindow = firstKnown([
    { tokens: config?.contextWindowTokens ?? null, source: "config", note: null },
    { tokens: family?.contextWindowTokens ?? null, source: "catalogue", note: table },
    { tokens: listedTokens, source: "catalogue", note: `prices of ${PRICES_AS_OF}` },
    { tokens: probed?.contextWindowTokens ?? null, source: "server", note: probed?.url ?? null },
    { tokens: unknownWindow === "off" ? null : unknownWindow.tokens, source: "policy", note: "unknownWindow" },
  ]);
  const maxInput = firstKnown([{ tokens: family?.maxInputTokens ?? null, source: "catalogue", note: table }]);
  const maxOutput = firstKnown([
    { tokens: config?.maxOutputTokens ?? null, source: "config", note: null },
    { tokens: family?.maxOutputTokens ?? null, source: "catalogue", note: table },
    { tokens: probed?.maxOutputTokens ?? null, source: "server", note: probed?.url ?? null },
  ]);
  const request = config?.request ?? (isLocal ? {} : requestLimitsOf(modelId));
  const pricesAt = (atMs: number | null) => (isLocal ? null : pricesOf(modelId, atMs, host));
  return {
    ...reference,
    contextWindow,
    maxInput,
    maxOutput,
    limits: { contextWindowTokens: contextWindow.tokens, maxOutputTokens: maxOutput.tokens, request },
    prices: pricesAt(null),
    pricesAt,
    priceSource: isLocal ? null : priceSourceOf(modelId, host),
    tokenizer: tokenizerOf(modelId),
  };
}

function firstKnown(candidates: readonly SourcedTokens[]): SourcedTokens {
  return candidates.find(({ tokens }) => tokens !== null) ?? { tokens: null, source: "unknown", note: null };
}

/** Describes the window and its source in one line for a person. */
export function describeWindow({ contextWindow: { tokens, source, note } }: ResolvedModel): string {
  const from = note === null ? source : `${source}, ${note}`;
  return tokens === null ? "context window unknown" : `context window ${tokens} tokens (${from})`;
}

/**
 * Describes the prices and their source in one line for a person. Without prices it names the nearest models, for comparison; a server on this machine has none.
 */
export function describePrices({ host, modelId, prices, priceSource, contextWindow }: ResolvedModel): string {
  const [tier] = prices?.tiers ?? [];
  if (tier !== undefined) {
    const { inputUsdPerMillion, cacheReadUsdPerMillion, cacheWriteUsdPerMillion, outputUsdPerMillion } = tier;
    return `$${inputUsdPerMillion} in, $${cacheReadUsdPerMillion} cache read, $${cacheWriteUsdPerMillion} cache write, $${outputUsdPerMillion} out a million tokens (${priceSource ?? "unknown"})`;
  }
  if (isLocalHost(host)) return "prices unknown";
  const isKnown = contextWindow.source === "catalogue" || contextWindow.source === "server";
  const near = isKnown ? [] : nearestModels(modelId);
  return near.length === 0
    ? `prices unknown; the nearest model with prices is ${pricedNeighbourOf(modelId)}`
    : `prices unknown; did you mean ${near.join(", ")}?`;
}

/** Largest part of an id that may be wrong for another one to be the intended one; chosen. */
const MAXIMUM_WRONG_RATIO = 0.34;

/** Names of models that are offered in place of an unknown one; chosen. */
const MAXIMUM_OFFERED = 3;

function nearestModels(modelId: string): readonly string[] {
  const family = modelFamily(modelId);
  const limit = Math.max(2, Math.floor(family.length * MAXIMUM_WRONG_RATIO));
  const names = [...FAMILY_LIMITS.map(({ prefix }) => prefix.replace(/-$/, "")), ...Object.values(ALIASES), ...pricedModels()];
  // An id without a date, in the vendor's own spelling, counts before others of its family.
  return [...new Map(names.sort((a, b) => b.length - a.length).map((name) => [modelFamily(name), name]))]
    .map(([other, name]) => ({ name, wrong: distance(family, other) }))
    .filter(({ wrong }) => wrong <= limit)
    .sort((a, b) => a.wrong - b.wrong || a.name.localeCompare(b.name, "en"))
    .slice(0, MAXIMUM_OFFERED)
    .map(({ name }) => name);
}

/** Named for an id that begins like no other: a model of middling price. Its three letters are the least that another has to share. Chosen. */
const MIDDLING_MODEL = { name: "claude-sonnet-5-5", alike: 2, wrong: 0 } as const;

/** The model with prices whose id goes on longest like this one, and then differs least from it. There always is one. */
function pricedNeighbourOf(modelId: string): string {
  const family = modelFamily(modelId);
  const near = pricedModels().map((name) => {
    const other = modelFamily(name);
    return { name, alike: alikeChars(family, other), wrong: distance(family, other) };
  });
  return near.reduce<(typeof near)[number]>(
    (best, one) => (one.alike > best.alike || (one.alike === best.alike && one.wrong < best.wrong) ? one : best),
    MIDDLING_MODEL,
  ).name;
}

function alikeChars(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

function pricedModels(): readonly string[] {
  const priced = MAKERS.flatMap((providerId) => findProvider({ providerId })?.models ?? []);
  return [...PRICE_OVERRIDES.map(({ modelId }) => modelId), ...priced.map(({ id }) => id)];
}
