import type { UnitFacts } from "../keep/keep-rule.ts";
import type { USE_WEIGHTS } from "./use-weights.ts";

/** The features of a unit, which predict how often it will be needed. Distances are in thousands of characters; they and counts are logarithms, so that the first ones count most. */
export function useFeatures(facts: UnitFacts): Readonly<Record<keyof (typeof USE_WEIGHTS)["weights"], number>> {
  const { kind, file } = facts;
  return {
    isRead: Number(kind === "read"),
    isOutput: Number(kind === "output"),
    isFailed: Number(kind === "failed"),
    isWritten: Number(kind === "written"),
    isSaid: Number(kind === "said"),
    isPerson: Number(kind === "person"),
    age: distanceFeature(facts.ageChars),
    restatedRatio: facts.restatedRatio,
    quotes: countFeature(facts.quotes),
    mentions: countFeature(facts.mentions),
    isUsed: Number(facts.sinceUseChars !== null),
    sinceUse: distanceFeature(facts.sinceUseChars ?? 0),
    shared: countFeature(facts.shared),
    hasFile: Number(file !== null),
    fileReads: countFeature(file?.reads ?? 0),
    fileWrites: countFeature(file?.writes ?? 0),
    sinceFileTouch: distanceFeature(file?.sinceTouchChars ?? 0),
    isFileWritten: Number((file?.writes ?? 0) > 0),
    sinceFileWrite: distanceFeature(file?.sinceWriteChars ?? 0),
    isFileWrittenSince: Number(file?.isWrittenSince ?? false),
    length: Math.log(SHORTEST_CHARS + facts.chars),
  };
}

/** Added to a length, so that it does not distinguish very short ones; chosen. */
const SHORTEST_CHARS = 50;

/** A number of characters since something. Events after the moment that is asked about are no distance away. */
function distanceFeature(chars: number): number {
  return chars > 0 ? Math.log1p(chars / 1000) : 0;
}

/** How often something happened, or how much is shared: mostly nothing, which needs no logarithm. */
function countFeature(count: number): number {
  return count === 0 ? 0 : Math.log1p(count);
}
