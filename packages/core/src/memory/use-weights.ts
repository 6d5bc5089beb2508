/** Weights of features as `pnpm fit:recall` fitted them, and on how many sessions of the side `fit` of docs/evidence.md that were long enough to be cut. */
export const USE_WEIGHTS = {
  date: "2026-11-22",
  sessions: 27,
  weights: {
    isRead: -1.724,
    isOutput: -1.302,
    isFailed: -1.327,
    isWritten: -3.145,
    isSaid: -9.282,
    isPerson: -1.332,
    age: -0.573,
    restatedRatio: -0.228,
    quotes: -0.024,
    mentions: 0.729,
    isUsed: 0.863,
    sinceUse: -0.32,
    // Chosen, beside weights that were fitted without it: of 0.1 to 0.4 the largest by which no measure falls a point on the side `choose`.
    shared: 0.2,
    hasFile: 1.469,
    fileReads: -0.2,
    fileWrites: 0.18,
    sinceFileTouch: -0.052,
    isFileWritten: -0.209,
    sinceFileWrite: 0.087,
    isFileWrittenSince: -0.952,
    length: 0.254,
  },
};
