import type { MeasuredFigures } from "./figures.ts";

/** The figures that token estimates use, fitted on recorded sessions by `pnpm calibrate --refit` (method and errors: docs/evidence.md). */
export const MEASURED_FIGURES: MeasuredFigures = {
  asOf: "2026-11-22",
  weights: {
    claude: {
      pooledRatio: 1.079,
      // biome-ignore format: a row of eight is read next to the classes
      values: [
        0.48, 1.41, 0.86, 1.47, 0.03, 0.11, 0.14, 0.45,
        1.8, 0.19, 0.46, 0.12, 1.14, 0.07, 0.26, 0.31,
        0.6, 0.57, 0.38, 0.67, 0.77, 0.88, 1.38, 0.08,
        0.26, 0.85, 0.79, 0.16, 0.52, 2.05, 1.14, 0.46,
      ],
    },
    other: {
      pooledRatio: 0.871,
      // biome-ignore format: a row of eight is read next to the classes
      values: [
        0.42, 1, 0.87, 0.96, 0.03, 0.05, 0.12, 0.24,
        1.58, 0.24, 0.45, 0.09, 0.92, 0.05, 0.3, 0.28,
        0.32, 0.4, 0.36, 0.6, 0.82, 0.7, 0.84, 0.07,
        0.23, 0.72, 0.34, 0.14, 0.47, 1.87, 0.72, 0.43,
      ],
    },
  },
  lines: {
    claude: { weights: "claude", slopeRatio: 0.975, messageTokens: 39.39, sessions: 27 },
    "claude-from-4.7": { weights: "claude", slopeRatio: 1.251, messageTokens: 13.964, sessions: 2 },
    gpt: { weights: "other", slopeRatio: 0.997, messageTokens: 9.911, sessions: 12 },
    gemini: { weights: "other", slopeRatio: 1.2, messageTokens: 5, sessions: 2 },
    llama: { weights: "other", slopeRatio: 1.006, messageTokens: 24.491, sessions: 3 },
  },
};
