import type { UnitFacts } from "../keep/keep-rule.ts";
import type { USE_WEIGHTS } from "./use-weights.ts";

/** Computes each feature of a unit, which predict how often it will be needed, as a number. Distances are in thousands of characters; they and counts are logarithms, so that the first ones count most. */
export const USE_FEATURES: Readonly<Record<keyof (typeof USE_WEIGHTS)["weights"], (facts: UnitFacts) => number>> = {
  isRead: ({ kind }) => Number(kind === "read"),
  isOutput: ({ kind }) => Number(kind === "output"),
  isFailed: ({ kind }) => Number(kind === "failed"),
  isWritten: ({ kind }) => Number(kind === "written"),
  isSaid: ({ kind }) => Number(kind === "said"),
  isPerson: ({ kind }) => Number(kind === "person"),
  age: ({ ageChars }) => distanceFeature(ageChars),
  restatedRatio: ({ restatedRatio }) => restatedRatio,
  quotes: ({ quotes }) => countFeature(quotes),
  mentions: ({ mentions }) => countFeature(mentions),
  isUsed: ({ sinceUseChars }) => Number(sinceUseChars !== null),
  sinceUse: ({ sinceUseChars }) => distanceFeature(sinceUseChars ?? 0),
  shared: ({ shared }) => countFeature(shared),
  hasFile: ({ file }) => Number(file !== null),
  fileReads: ({ file }) => countFeature(file?.reads ?? 0),
  fileWrites: ({ file }) => countFeature(file?.writes ?? 0),
  sinceFileTouch: ({ file }) => distanceFeature(file?.sinceTouchChars ?? 0),
  isFileWritten: ({ file }) => Number((file?.writes ?? 0) > 0),
  sinceFileWrite: ({ file }) => distanceFeature(file?.sinceWriteChars ?? 0),
  isFileWrittenSince: ({ file }) => Number(file?.isWrittenSince ?? false),
  length: ({ chars }) => Math.log(SHORTEST_CHARS + chars),
};

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
