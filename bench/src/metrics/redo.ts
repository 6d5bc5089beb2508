import { promptUsd } from "@plimsoll/core/internal";
import { z } from "zod";
import type { NeedKind } from "../grounding/wanted.ts";
import type { Metric } from "./metric.ts";
import type { Probability, ValidatedFigures } from "./validated.ts";
import { VALIDATED } from "./validated-figures.ts";

/** The uses that would have to be fetched again over one replay: each missing one once. */
export interface RedoResult {
  readonly edits: MissedUses;
  readonly files: MissedUses;
}

/** Uses whose text the context lacked. */
interface MissedUses {
  readonly uses: number;
  /** For each, one call at the price of the cached context, and its passage written behind it; calls without a price are left out. */
  readonly usd: number;
}

/** Expected dollars with the ends of the probabilities' intervals; `null` without one. */
export interface PooledRedo {
  readonly usd: number | null;
  readonly fromUsd: number | null;
  readonly throughUsd: number | null;
}

/** Characters a token of a passage, for all models; chosen: it decides nothing. */
const CHARS_PER_TOKEN = 4;

const missed: z.ZodType<MissedUses> = z.strictObject({ uses: z.int().nonnegative(), usd: z.number() });

/**
 * Estimates the dollars of fetching again the uses that are missing: the probability of a failed edit or a second reading, from `plimsoll validate`,
 * times one call and the passage (docs/evidence.md). Exploratory: an empty context minimises it, so it decides nothing.
 */
export const REDO: Metric<"redo", RedoResult, PooledRedo, never> = {
  id: "redo",
  schema: z.strictObject({ edits: missed, files: missed }),
  measure: ({ session, held, catalog, cache }) => {
    const found = { edits: { uses: 0, usd: 0 }, files: { uses: 0, usd: 0 } };
    const needs = session.needs();
    return {
      add: ({ recorded: { modelId, atMs }, chargedTokens }) => {
        for (const { needle, kind } of held.missing(REDONE)) {
          const into = kind === "edits" ? found.edits : found.files;
          into.uses += 1;
          const prices = catalog.pricesOf(modelId, atMs);
          if (prices === null) continue;
          const writeTokens = Math.ceil(needs.charsOf(needle) / CHARS_PER_TOKEN);
          const use = { readTokens: chargedTokens, writeTokens, uncachedTokens: 0, state: "warm" } as const;
          into.usd += promptUsd(use, prices, cache.rulesFor(modelId));
        }
      },
      result: () => ({ edits: { ...found.edits }, files: { ...found.files } }),
    };
  },
  pool: ({ results }) => expectedRedo(results, VALIDATED),
  figures: {},
};

/** The needs whose lack is done again: an edit that fails, a file that is read a second time. */
const REDONE: readonly NeedKind[] = ["edits", "fileInHand"];

/** Puts sessions together: what is missing, by how likely it is done again. */
export function expectedRedo(
  results: readonly RedoResult[],
  { failedEdit, reread }: Pick<ValidatedFigures, "failedEdit" | "reread">,
): PooledRedo {
  const sum = (part: keyof RedoResult) => results.reduce((total, result) => total + result[part].usd, 0);
  const [edits, files] = [sum("edits"), sum("files")];
  const expected = (of: (probability: Probability) => number | null | undefined) => {
    const [failing, again] = [of(failedEdit), of(reread)];
    return typeof failing === "number" && typeof again === "number" ? failing * edits + again * files : null;
  };
  return {
    usd: expected(({ value }) => value),
    fromUsd: expected(({ interval }) => interval?.from),
    throughUsd: expected(({ interval }) => interval?.through),
  };
}
