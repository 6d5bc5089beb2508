import type { ModelPrices, PriceTier } from "@plimsoll/core/extend";
import { readDocument, readSmallFile, schemaProblems } from "@plimsoll/core/node";
import { z } from "zod";

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

/** The most bytes of a file of prices; chosen: those of some thousand models. */
const MAXIMUM_PRICES_BYTES = 300_000;

const pricesSchema = z.record(z.string().min(1), z.union([tierSchema, z.array(tierSchema).min(1)]));

/** Prices by model id, or a line for each thing that is wrong. */
export type ReadPrices = { readonly prices: ReadonlyMap<string, ModelPrices> } | { readonly problems: readonly string[] };

/**
 * Prices that come before those of the catalog. The file is YAML: model ids, each with one set of prices or with a list of them by
 * prompt size, in ascending order.
 */
export function readPrices(path: string, displayName: string): ReadPrices {
  const file = readSmallFile(path, { maximumBytes: MAXIMUM_PRICES_BYTES });
  if (file.kind !== "text") {
    const why = file.kind === "absent" ? ": cannot be read" : ` ${file.why}`;
    return { problems: [`${displayName}${why}; give a YAML file with prices by model id`] };
  }
  const read = readDocument(file.text);
  if ("problems" in read) return { problems: read.problems.map(({ place, text }) => `${displayName}:${place}: ${text}`) };
  const { content, placeOf } = read.document;
  const result = pricesSchema.safeParse(content);
  if (!result.success) {
    const problems = schemaProblems(result.error.issues, z.toJSONSchema(pricesSchema, { io: "input" }));
    return { problems: problems.map(({ path: at, text: what }) => `${displayName}:${placeOf(at)}: ${what}`) };
  }
  const prices = Object.entries(result.data).flatMap(([modelId, tiers]) => {
    const found = modelPrices([tiers].flat());
    return found === null ? [] : [[modelId, found] as const];
  });
  return { prices: new Map(prices) };
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
