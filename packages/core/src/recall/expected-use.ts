import type { UnitFacts } from "./units.ts";
import { countFeature, distanceFeature, lengthFeature } from "./use-features.ts";
import { USE_WEIGHTS } from "./use-weights.ts";

const { weights: WEIGHTS } = USE_WEIGHTS;

/** The weight that a unit begins with, by its kind. */
const KIND_WEIGHTS: Readonly<Record<UnitFacts["kind"], number>> = {
  read: WEIGHTS.isRead,
  output: WEIGHTS.isOutput,
  failed: WEIGHTS.isFailed,
  written: WEIGHTS.isWritten,
  said: WEIGHTS.isSaid,
  person: WEIGHTS.isPerson,
};

/**
 * How often a unit is expected to be needed before the next cut, by a Poisson regression: the exponential of the weighted sum of what is
 * known of it. Only its ratio to another unit's says anything. Many units are asked for at each compaction: the sum of `USE_FEATURES` is
 * written out, in their order, without those that are 0 (a third of the time).
 */
export function expectedUse(facts: UnitFacts): number {
  const { file, sinceUseChars } = facts;
  let sum = KIND_WEIGHTS[facts.kind];
  sum += WEIGHTS.age * distanceFeature(facts.ageChars);
  sum += WEIGHTS.restatedRatio * facts.restatedRatio;
  sum += WEIGHTS.quotes * countFeature(facts.quotes);
  sum += WEIGHTS.mentions * countFeature(facts.mentions);
  if (sinceUseChars !== null) sum = sum + WEIGHTS.isUsed + WEIGHTS.sinceUse * distanceFeature(sinceUseChars);
  if (file !== null) {
    sum += WEIGHTS.hasFile;
    sum += WEIGHTS.fileReads * countFeature(file.reads);
    sum += WEIGHTS.fileWrites * countFeature(file.writes);
    sum += WEIGHTS.sinceFileTouch * distanceFeature(file.sinceTouchChars);
    if (file.writes > 0) sum += WEIGHTS.isFileWritten;
    sum += WEIGHTS.sinceFileWrite * distanceFeature(file.sinceWriteChars ?? 0);
    if (file.isWrittenSince) sum += WEIGHTS.isFileWrittenSince;
  }
  sum += WEIGHTS.length * lengthFeature(facts.chars);
  return Math.exp(sum);
}

/** The sum of the weights of distances that count for a unit. */
const RISING_WEIGHTS = [WEIGHTS.age, WEIGHTS.sinceUse, WEIGHTS.sinceFileTouch, WEIGHTS.sinceFileWrite]
  .filter((weight) => weight > 0)
  .reduce((sum, weight) => sum + weight, 0);

/**
 * How many times more the expected use of a unit can be after so many characters in which nothing became of it and its file. Its distances grow by as many;
 * the logarithm of one grows most from zero.
 */
export function mostUseGrowth(chars: number): number {
  return Math.exp(RISING_WEIGHTS * distanceFeature(chars));
}
