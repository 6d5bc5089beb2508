import type { MeasuredFigures } from "./figures.ts";

/** Fitted on recorded sessions by `pnpm calibrate --refit` (method and errors: docs/estimators.md). */
export const MEASURED_FIGURES: MeasuredFigures = {
  asOf: "2026-11-22",
  weights: {
    claude: {
      pooledRatio: 1.13,
      // biome-ignore format: a row of eight is read next to the classes
      values: [
        0.3, 1.27, 0.71, 1.64, 0.05, 0.18, 0.05, 0.4,
        1.73, 0.17, 0.6, 0.12, 1.16, 0.45, 0.09, 0.23,
        0.7, 0.69, 0.5, 0.73, 0.92, 0.75, 1.16, 0.07,
        0.15, 0.87, 0.84, 0.49, 0.44, 2.12, 0.96, 0.68,
      ],
    },
    other: {
      pooledRatio: 0.896,
      // biome-ignore format: a row of eight is read next to the classes
      values: [
        0.07, 0.85, 0.53, 0.95, 0.1, 0.07, 0.07, 0.23,
        1.56, 0.32, 0.59, 0.06, 1, 0.17, 0.22, 0.12,
        0.35, 0.42, 0.36, 0.69, 0.79, 0.58, 0.58, 0.05,
        0.17, 0.76, 0.74, 0.37, 0.69, 1.9, 0.85, 0.48,
      ],
    },
  },
  lines: {
    claude: { weights: "claude", slopeRatio: 0.916, messageTokens: 10.7, sessions: 5 },
    "claude-from-4.6": { weights: "claude", slopeRatio: 1.19, messageTokens: 11.631, sessions: 4 },
    gpt: { weights: "other", slopeRatio: 0.989, messageTokens: 8.574, sessions: 6 },
    gemini: { weights: "other", slopeRatio: 1.2, messageTokens: 5, sessions: 2 },
    llama: { weights: "other", slopeRatio: 1.001, messageTokens: 22.857, sessions: 3 },
  },
};
