import type { ModelPrices, PriceTier } from "../economics.ts";
import { modelFamily } from "./model-limits.ts";

/** The price of a model's fast mode from a day on: all prices so many times, or in their place US dollars a million tokens. */
interface FastMode {
  readonly modelId: string;
  readonly price: number | { readonly input: number; readonly read: number; readonly output: number };
  /** The first day on which it is billed at the usual prices again; left out while it is not. */
  readonly until?: string;
  readonly source: string;
}

const OPENAI = "openai.com/api-fast-mode (fast and priority are one since 2026-07-30)";

/**
 * Fast mode as vendors sell it, looked up on 2026-11-29. Anthropic's factors hold for all kinds of tokens, cache reads and writes too, and for prompts of every size; Sonnet and Haiku have none.
 */
const FAST_MODES: readonly FastMode[] = [
  {
    modelId: "claude-fable-5-2",
    price: 2,
    source: "at second hand: the factor by Google Cloud's page of the model, 2026-11-29; the vendor's row was not found",
  },
  { modelId: "claude-opus-5-5", price: 2, source: "models.dev claude-opus-5-5.toml, since 2026-09-22" },
  { modelId: "claude-opus-5", price: 2, source: "the vendor's page as quoted in models.dev#4123, 2026-08-06" },
  { modelId: "claude-opus-4-8", price: 2, source: "models.dev claude-opus-4-8.toml; code.claude.com/docs/en/fast-mode" },
  { modelId: "claude-opus-4-7", price: 6, source: "models.dev#1764 and #4123; from 2026-07-24 on it is refused" },
  {
    // From that day on it is served, and billed, at the usual speed.
    modelId: "claude-opus-4-6",
    price: 6,
    until: "2026-06-29",
    source: "BerriAI/litellm#29238; NousResearch/hermes-agent#82348",
  },
  { modelId: "gpt-5.6-sol", price: { input: 10, read: 1, output: 60 }, source: OPENAI },
  { modelId: "gpt-5.6-terra", price: { input: 4, read: 0.4, output: 24 }, source: OPENAI },
  { modelId: "gpt-5.6-luna", price: { input: 0.4, read: 0.04, output: 2.4 }, source: OPENAI },
  { modelId: "gpt-5.5", price: { input: 12.5, read: 1.25, output: 75 }, source: OPENAI },
  { modelId: "gpt-5.4", price: { input: 5, read: 0.5, output: 30 }, source: OPENAI },
];

/** A model's prices in its fast mode at a time in milliseconds since 1970; `null` if it has none, or they are unknown. */
export function fastPrices(
  modelId: string,
  { tiers: [first, ...rest] }: ModelPrices,
  atMs: number,
): ModelPrices["fast"] | null {
  const family = modelFamily(modelId);
  const mode = FAST_MODES.find((each) => modelFamily(each.modelId) === family);
  if (mode === undefined) return null;
  const { price, until } = mode;
  if (typeof price !== "number") return [tierAt(price)];
  const factor = until !== undefined && atMs >= Date.parse(until) ? 1 : price;
  return [times(first, factor), ...rest.map((tier) => times(tier, factor))];
}

function times(tier: PriceTier, factor: number): PriceTier {
  return {
    abovePromptTokens: tier.abovePromptTokens,
    inputUsdPerMillion: factor * tier.inputUsdPerMillion,
    outputUsdPerMillion: factor * tier.outputUsdPerMillion,
    cacheReadUsdPerMillion: factor * tier.cacheReadUsdPerMillion,
    cacheWriteUsdPerMillion: factor * tier.cacheWriteUsdPerMillion,
    cacheWriteOneHourUsdPerMillion: factor * tier.cacheWriteOneHourUsdPerMillion,
  };
}

function tierAt({ input, read, output }: Exclude<FastMode["price"], number>): PriceTier {
  return {
    ...{ abovePromptTokens: 0, inputUsdPerMillion: input, outputUsdPerMillion: output, cacheReadUsdPerMillion: read },
    ...{ cacheWriteUsdPerMillion: input, cacheWriteOneHourUsdPerMillion: input },
  };
}
