import type { UseWeights } from "./use-features.ts";

/** Weights as `pnpm fit:recall` fitted them, and on how many sessions of the side `fit` of docs/protocol.md that were long enough to be cut. */
export const USE_WEIGHTS: { readonly date: string; readonly sessions: number; readonly weights: UseWeights } = {
  date: "2026-11-22",
  sessions: 27,
  weights: {
    isRead: -1.695,
    isOutput: -1.277,
    isFailed: -1.34,
    isWritten: -3.14,
    isSaid: -9.47,
    isPerson: -1.291,
    age: -0.58,
    restatedRatio: -0.244,
    quotes: -0.022,
    mentions: 0.512,
    isUsed: 1.095,
    sinceUse: -0.279,
    hasFile: 1.449,
    fileReads: -0.207,
    fileWrites: 0.166,
    sinceFileTouch: -0.058,
    isFileWritten: -0.114,
    sinceFileWrite: 0.074,
    isFileWrittenSince: -1.012,
    length: 0.263,
  },
};
