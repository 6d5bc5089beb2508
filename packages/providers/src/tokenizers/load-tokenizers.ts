import { PlimsollError } from "@plimsoll/core";
import type { CountTokens, Tokenizers } from "@plimsoll/core/extend";
import { parseRankTable } from "./byte-pair-encoding.ts";
import { createTokenCounter, type Encoding, type PieceObserver, type TokenCounter } from "./token-counter.ts";

/** The encodings that are bundled: `o200k_base` (GPT-4o and later, o-series) and `cl100k_base` (GPT-4, GPT-3.5). */
export type EncodingName = "o200k_base" | "cl100k_base";

/** All bundled encodings, newest first. */
export const ENCODING_NAMES: readonly EncodingName[] = ["o200k_base", "cl100k_base"];

/** An encoding as js-tiktoken publishes it. */
interface PackedEncoding {
  readonly default: { readonly pat_str: string; readonly bpe_ranks: string };
}

/** Imports an encoding; rejects if the package is not installed. */
export type ImportRanks = (name: EncodingName) => Promise<PackedEncoding>;

/**
 * Loads an encoding's ranks (some 2 MB from js-tiktoken) and gives a counter for it. Nothing is loaded before the call; callers
 * keep the counter, since each call reads the ranks again (about 0.2 s).
 *
 * Its promise rejects with a PlimsollError `bad-input` if js-tiktoken, an optional peer dependency, is not installed.
 */
export async function loadTokenCounter(name: EncodingName, onPiece?: PieceObserver): Promise<TokenCounter> {
  return createTokenCounter(await loadEncoding(name), onPiece);
}

/** The encoding itself, for callers that make several counters of it. */
export async function loadEncoding(name: EncodingName, load: ImportRanks = importRanks): Promise<Encoding> {
  const { default: packed } = await load(name).catch((error: unknown) => {
    const message = `to count by ${name}, install the package js-tiktoken: npm install js-tiktoken`;
    throw new PlimsollError("bad-input", message, { package: "js-tiktoken", encoding: name }, error);
  });
  return { name, pattern: packed.pat_str, ranks: parseRankTable(packed.bpe_ranks) };
}

const importRanks: ImportRanks = (name) => {
  switch (name) {
    case "o200k_base":
      return import("js-tiktoken/ranks/o200k_base");
    case "cl100k_base":
      return import("js-tiktoken/ranks/cl100k_base");
    default:
      return name satisfies never;
  }
};

/** The tokenizers of encodings, by name. */
export type LoadTokenizers = (encodings: readonly string[]) => Promise<Tokenizers>;

/**
 * Makes a function that loads the tokenizers of the encodings that a policy counts by (`encodingsOf`), each once and only when asked for.
 *
 * Its promise rejects with a PlimsollError `bad-policy` for a name that is not bundled.
 */
export function createTokenizerLoader(): LoadTokenizers {
  const loaded = new Map<EncodingName, Promise<CountTokens>>();
  const tokenizerOf = (name: EncodingName): Promise<CountTokens> => {
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const loading = loadTokenCounter(name).then(({ countTokens }) => countTokens);
    loaded.set(name, loading);
    return loading;
  };
  return async (encodings) => {
    const entries = encodings.map(async (encoding) => {
      const name = ENCODING_NAMES.find((each) => each === encoding);
      if (name === undefined) {
        const names = ENCODING_NAMES.join(", ");
        throw new PlimsollError("bad-policy", `no encoding is called ${JSON.stringify(encoding)}; there are: ${names}`, {
          encoding,
        });
      }
      return [name, await tokenizerOf(name)] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  };
}
