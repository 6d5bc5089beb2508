import type { MeasuredFigures } from "./figures.ts";

/** Fitted on recorded sessions by `pnpm calibrate --refit` (method and errors: docs/estimators.md). */
export const MEASURED_FIGURES: MeasuredFigures = {
  asOf: "2026-11-21",
  weights: {
    claude: {
      pooledRatio: 1.128,
      // biome-ignore format: a row of eight is read beside the classes
      values: [
        0.542, 1.334, 0.877, 1.773, 0.017, 0.21, 0.103, 0.462,
        1.51, 0.116, 0.409, 0.129, 1.105, 0.551, 0.037, 0.575,
        0.829, 0.791, 0.584, 0.684, 0.899, 0.705, 1.441, 0.068,
        0.211, 0.816, 0.798, 0.426, 0.569, 1.984, 0.899, 0.728,
      ],
    },
    other: {
      pooledRatio: 0.897,
      // biome-ignore format: a row of eight is read beside the classes
      values: [
        0.054, 0.746, 0.619, 0.681, 0.132, 0.031, 0.14, 0.233,
        1.618, 0.418, 0.585, 0.045, 1.029, 0.082, 0.31, 0.139,
        0.248, 0.37, 0.405, 0.761, 0.807, 0.525, 0.497, 0.029,
        0.251, 0.8, 0.791, 0.305, 1.073, 2, 0.9, 0.418,
      ],
    },
  },
  lines: {
    claude: { weights: "claude", slopeRatio: 0.919, messageTokens: 10.65, sessions: 5 },
    "claude-from-4.6": { weights: "claude", slopeRatio: 1.193, messageTokens: 11.583, sessions: 4 },
    gpt: { weights: "other", slopeRatio: 0.99, messageTokens: 8.544, sessions: 6 },
    gemini: { weights: "other", slopeRatio: 1.115, messageTokens: 1.219, sessions: 1 },
    llama: { weights: "other", slopeRatio: 0.999, messageTokens: 23.361, sessions: 3 },
  },
};
