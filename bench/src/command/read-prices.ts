import { resolve } from "node:path";
import { option } from "@plimsoll/core/extend";
import type { ModelPrices } from "@plimsoll/providers";
import { readDocument, readSmallFile } from "@plimsoll/stores";
import { z } from "zod";
import { mistakes } from "./check-options.ts";

/** The help of `--prices`. */
export const PRICES_HELP =
  "YAML of prices by model id, in place of plimsoll's own: inputUsdPerMillion, outputUsdPerMillion, cacheReadUsdPerMillion, cacheWriteUsdPerMillion (cache: the price of input if left out)";

const usdPerMillion = z.number().nonnegative();

/** Prices of one model as a user writes them, in US dollars per million tokens. Cache prices default to the price of input. */
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

/**
 * Prices that come before those of the catalog, by model id; none without a file. The file is YAML: model ids, each with one set of prices or with a list of
 * them by prompt size, in ascending order. Throws `bad-input` with all that is wrong in it.
 */
export function readPrices(name: string | undefined, cwd: string): ReadonlyMap<string, ModelPrices> {
  if (name === undefined) return new Map();
  const file = readSmallFile(resolve(cwd, name), { maximumBytes: MAXIMUM_PRICES_BYTES });
  if (file.kind !== "text") {
    const why = file.kind === "absent" ? ": cannot be read" : ` ${file.why}`;
    throw mistakes([`${name}${why}; give a YAML file with prices by model id`]);
  }
  const read = readDocument(file.text);
  if ("problems" in read) throw mistakes(read.problems.map(({ place, text }) => `${name}:${place}: ${text}`));
  const { content, placeOf } = read.document;
  const result = pricesSchema.safeParse(content);
  if (!result.success) {
    const problems = option.problems(result.error, pricesSchema);
    throw mistakes(problems.map(({ path: at, text: what }) => `${name}:${placeOf(at)}: ${what}`));
  }
  const prices = Object.entries(result.data).flatMap(([modelId, tiers]) => {
    const [first, ...rest] = [tiers].flat().map(priceTier);
    return first === undefined ? [] : [[modelId, { tiers: [first, ...rest] }] satisfies [string, ModelPrices]];
  });
  return new Map(prices);
}

function priceTier(tier: z.infer<typeof tierSchema>): ModelPrices["tiers"][number] {
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
