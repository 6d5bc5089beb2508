import type { ModelPrices, PriceTier } from "@plimsoll/core";
import { MODEL_CATALOG, type ModelCatalog } from "@plimsoll/providers";
import { z } from "zod";
import { readText } from "../yaml/read-text.ts";
import { schemaProblems } from "../yaml/schema-problems.ts";
import { readDocument } from "../yaml/yaml-document.ts";

const usdPerMillion = z.number().nonnegative();

/** Prices of one model as a user writes them, in US dollars per million tokens. Cache prices default to what input costs. */
const tierSchema = z.strictObject({
  abovePromptTokens: z.int().nonnegative().default(0),
  inputUsdPerMillion: usdPerMillion,
  outputUsdPerMillion: usdPerMillion,
  cacheReadUsdPerMillion: usdPerMillion.optional(),
  cacheWriteUsdPerMillion: usdPerMillion.optional(),
  cacheWriteOneHourUsdPerMillion: usdPerMillion.optional(),
});

const pricesSchema = z.record(z.string().min(1), z.union([tierSchema, z.array(tierSchema).min(1)]));

/** A catalog, or a line for each thing that is wrong. */
export type ReadPrices = { readonly catalog: ModelCatalog } | { readonly problems: readonly string[] };

/**
 * The catalog with the file's prices before its own. The file is YAML: model ids, each with one set of prices or with a list of them by
 * prompt size, in ascending order.
 */
export function readPrices(path: string, displayName: string): ReadPrices {
  const text = readText(path);
  if (text === null) return { problems: [`${displayName}: cannot be read; give a YAML file with prices by model id`] };
  const read = readDocument(text);
  if ("problems" in read) return { problems: read.problems.map(({ place, text }) => `${displayName}:${place}: ${text}`) };
  const { content, placeOf } = read.document;
  const result = pricesSchema.safeParse(content);
  if (!result.success) {
    const problems = schemaProblems(result.error.issues, z.toJSONSchema(pricesSchema, { io: "input" }));
    return { problems: problems.map(({ path: at, text: what }) => `${displayName}:${placeOf(at)}: ${what}`) };
  }
  const own = new Map(Object.entries(result.data).map(([modelId, prices]) => [modelId, modelPrices([prices].flat())]));
  return { catalog: { ...MODEL_CATALOG, pricesOf: (modelId) => own.get(modelId) ?? MODEL_CATALOG.pricesOf(modelId) } };
}

function modelPrices(tiers: readonly z.infer<typeof tierSchema>[]): ModelPrices | null {
  const [first, ...rest] = tiers.map(priceTier);
  return first === undefined ? null : { tiers: [first, ...rest] };
}

function priceTier(tier: z.infer<typeof tierSchema>): PriceTier {
  const { inputUsdPerMillion, cacheReadUsdPerMillion, cacheWriteUsdPerMillion, cacheWriteOneHourUsdPerMillion } = tier;
  const writeUsdPerMillion = cacheWriteUsdPerMillion ?? inputUsdPerMillion;
  return {
    abovePromptTokens: tier.abovePromptTokens,
    inputUsdPerMillion,
    outputUsdPerMillion: tier.outputUsdPerMillion,
    cacheReadUsdPerMillion: cacheReadUsdPerMillion ?? inputUsdPerMillion,
    cacheWriteUsdPerMillion: writeUsdPerMillion,
    cacheWriteOneHourUsdPerMillion: cacheWriteOneHourUsdPerMillion ?? writeUsdPerMillion,
  };
}
