import type { LogTextKind } from "./log-text.ts";
import type { UnitFacts } from "./recall-index.ts";

/**
 * Weights of a Poisson regression: the logarithm of how often a unit is needed before the next cut is the sum of these times what is known
 * of the unit. Written by `pnpm fit:recall`, which says over which sessions.
 */
export interface UseWeights {
  readonly kind: Readonly<Record<LogTextKind, number>>;
  /** Distances are in thousands of characters, as ln(1 + distance); counts as ln(1 + count); length as ln(50 + characters). */
  readonly age: number;
  readonly restatedRatio: number;
  readonly quotes: number;
  readonly mentions: number;
  readonly isUsed: number;
  readonly sinceUse: number;
  readonly hasFile: number;
  readonly reads: number;
  readonly writes: number;
  readonly sinceTouch: number;
  readonly isWritten: number;
  readonly sinceWrite: number;
  readonly isWrittenSince: number;
  readonly length: number;
}

/** Fitted over the sessions of one owner (docs/protocol.md, side `fit`). */
export const USE_WEIGHTS: UseWeights = {
  kind: { read: 0.41, output: 0.538, failed: 0.212, written: -0.51, said: -2.221, person: 0.193 },
  age: -0.737,
  restatedRatio: -0.156,
  quotes: -0.054,
  mentions: 0.593,
  isUsed: 0.541,
  sinceUse: -0.165,
  hasFile: 0.349,
  reads: -0.029,
  writes: 0.094,
  sinceTouch: 0.067,
  isWritten: 0.169,
  sinceWrite: 0.006,
  isWrittenSince: -0.886,
  length: 0.091,
};

/** How often a unit is expected to be needed before the next cut: only its ratio to another one's says anything. */
export function expectedUse(facts: UnitFacts, weights: UseWeights = USE_WEIGHTS): number {
  const { file, sinceUseChars } = facts;
  let log = weights.kind[facts.kind] + weights.age * distance(facts.ageChars) + weights.restatedRatio * facts.restatedRatio;
  log += weights.quotes * Math.log1p(facts.quotes) + weights.mentions * Math.log1p(facts.mentions);
  if (sinceUseChars !== null) log += weights.isUsed + weights.sinceUse * distance(sinceUseChars);
  if (file !== null) {
    log += weights.hasFile + weights.reads * Math.log1p(file.reads) + weights.writes * Math.log1p(file.writes);
    log += weights.sinceTouch * distance(file.sinceTouchChars);
    if (file.sinceWriteChars !== null) log += weights.isWritten + weights.sinceWrite * distance(file.sinceWriteChars);
    if (file.isWrittenSince) log += weights.isWrittenSince;
  }
  return Math.exp(log + weights.length * Math.log(50 + facts.chars));
}

function distance(chars: number): number {
  return Math.log1p(chars / 1000);
}
