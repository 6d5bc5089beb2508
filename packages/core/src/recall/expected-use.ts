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
  kind: {
    read: 0.353,
    output: 0.676,
    failed: 0.258,
    written: -0.801,
    said: -2.107,
    person: 0.246,
  },
  age: -0.743,
  restatedRatio: -0.164,
  quotes: -0.112,
  mentions: 0.6,
  isUsed: 0.513,
  sinceUse: -0.175,
  hasFile: 0.381,
  reads: 0.023,
  writes: 0.087,
  sinceTouch: 0.083,
  isWritten: 0.03,
  sinceWrite: 0.012,
  isWrittenSince: -0.719,
  length: 0.082,
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
