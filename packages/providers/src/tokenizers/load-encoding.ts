import { parseRankTable } from "./byte-pair-encoding.ts";
import type { Encoding, PieceObserver, TokenCounter } from "./token-counter.ts";
import { createTokenCounter } from "./token-counter.ts";

/** The encodings that are bundled: `o200k_base` (GPT-4o and later, o-series) and `cl100k_base` (GPT-4, GPT-3.5). */
export type EncodingName = "o200k_base" | "cl100k_base";

/** All bundled encodings, newest first. */
export const ENCODING_NAMES: readonly EncodingName[] = ["o200k_base", "cl100k_base"];

/**
 * Loads an encoding's ranks (some 2 MB from js-tiktoken) and gives a counter for it. Nothing is loaded before the call; callers
 * keep the counter, since each call reads the ranks again (about 0.2 s).
 */
export async function loadTokenCounter(name: EncodingName, onPiece?: PieceObserver): Promise<TokenCounter> {
  return createTokenCounter(await loadEncoding(name), onPiece);
}

/** The encoding itself, for callers that make several counters of it. */
export async function loadEncoding(name: EncodingName): Promise<Encoding> {
  const { default: packed } = await importRanks(name);
  return { name, pattern: packed.pat_str, ranks: parseRankTable(packed.bpe_ranks) };
}

function importRanks(name: EncodingName) {
  switch (name) {
    case "o200k_base":
      return import("js-tiktoken/ranks/o200k_base");
    case "cl100k_base":
      return import("js-tiktoken/ranks/cl100k_base");
    default:
      return name satisfies never;
  }
}
