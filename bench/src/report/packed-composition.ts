import type { Composition } from "../results.ts";
import { stepsOf } from "./steps.ts";
import type { TextTable } from "./text-table.ts";

/** What filled the context: the sampled calls (from 1) as differences, and for each kind (by text) its tokens at each of them. */
export interface PackedComposition {
  readonly callSteps: readonly number[];
  readonly kinds: readonly { readonly name: number; readonly tokens: readonly number[] }[];
}

/** Packs a composition, of at most about so many samples: evenly spread ones, and the last. */
export function packComposition(
  { kinds, samples }: Composition,
  mostSamples: number,
  place: TextTable["place"],
): PackedComposition {
  const every = Math.max(1, Math.ceil(samples.length / mostSamples));
  const kept = samples.filter((_, index) => index % every === 0 || index === samples.length - 1);
  return {
    callSteps: stepsOf(kept.map(({ call }) => call + 1)),
    kinds: kinds.map((kind, index) => ({ name: place(kind), tokens: kept.map(({ tokens }) => tokens[index] ?? 0) })),
  };
}
