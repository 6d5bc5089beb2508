import type { MeasuredFigures } from "./figures.ts";

/** Fitted on recorded sessions by `pnpm calibrate --refit` (method and errors: docs/estimators.md). */
export const MEASURED_FIGURES: MeasuredFigures = {
  asOf: "2026-11-22",
  weights: {
    claude: {
      pooledRatio: 1.13,
      // biome-ignore format: a row of eight is read beside the classes
      values: [
        0.56, 1.35, 0.91, 1.79, 0.01, 0.22, 0.09, 0.5,
        1.52, 0.11, 0.4, 0.14, 1.08, 0.58, 0.04, 0.39,
        0.84, 0.81, 0.6, 0.7, 0.86, 0.73, 1.49, 0.07,
        0.19, 0.82, 0.8, 0.43, 0.51, 1.98, 0.9, 0.75,
      ],
    },
    other: {
      pooledRatio: 0.896,
      // biome-ignore format: a row of eight is read beside the classes
      values: [
        0.1, 0.75, 0.66, 0.71, 0.12, 0.03, 0.14, 0.23,
        1.58, 0.45, 0.56, 0.05, 1.02, 0.08, 0.33, 0.18,
        0.27, 0.39, 0.41, 0.77, 0.81, 0.54, 0.5, 0.04,
        0.25, 0.8, 0.79, 0.31, 1.07, 2, 0.9, 0.47,
      ],
    },
  },
  lines: {
    claude: { weights: "claude", slopeRatio: 0.916, messageTokens: 10.698, sessions: 5 },
    "claude-from-4.6": { weights: "claude", slopeRatio: 1.19, messageTokens: 11.638, sessions: 4 },
    gpt: { weights: "other", slopeRatio: 0.989, messageTokens: 8.574, sessions: 6 },
    gemini: { weights: "other", slopeRatio: 1.2, messageTokens: 5, sessions: 2 },
    llama: { weights: "other", slopeRatio: 1.001, messageTokens: 22.857, sessions: 3 },
  },
};
