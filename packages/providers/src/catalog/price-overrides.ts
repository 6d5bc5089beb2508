import type { ModelPrices } from "@plimsoll/core";

/** A price that the package does not have, or has wrong: with the day on which it was looked up, and where. */
export interface PriceOverride {
  readonly modelId: string;
  readonly checkedOn: string;
  readonly source: string;
  readonly prices: ModelPrices;
}

/** Our own prices; they come before those of the price package. The one place for them. */
export const PRICE_OVERRIDES: readonly PriceOverride[] = [];
