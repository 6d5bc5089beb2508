import type { UseWeights } from "./use-features.ts";

/** Weights as fitted by `pnpm fit:recall`, and what they were fitted on: sessions of the side `fit` of docs/protocol.md. */
export const USE_WEIGHTS: { readonly date: string; readonly sessions: number; readonly weights: UseWeights } = {
  date: "2026-11-22",
  sessions: 26,
  weights: {
    isRead: 0.353,
    isOutput: 0.676,
    isFailed: 0.258,
    isWritten: -0.801,
    isSaid: -2.107,
    isPerson: 0.246,
    age: -0.743,
    restatedRatio: -0.164,
    quotes: -0.112,
    mentions: 0.6,
    isUsed: 0.513,
    sinceUse: -0.175,
    hasFile: 0.381,
    fileReads: 0.023,
    fileWrites: 0.087,
    sinceFileTouch: 0.083,
    isFileWritten: 0.03,
    sinceFileWrite: 0.012,
    isFileWrittenSince: -0.719,
    length: 0.082,
  },
};
