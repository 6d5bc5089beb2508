import type { ClassCounts } from "./char-classes.ts";

/**
 * Tokens of one of each character class, pooled over all models of the recorded sessions. Written by `pnpm calibrate --refit`:
 * robust least squares on the differences of consecutive reports (docs/estimators.md), 2026-11-22.
 */
// biome-ignore format: a row of eight is read next to the classes
export const POOLED_WEIGHTS: ClassCounts = [
  0.04, 1.05, 0.45, 1.32, 0.08, 0.12, 0.01, 0.26,
  1.72, 0.22, 0.7, 0.08, 1.1, 0.3, 0.13, 0.07,
  0.49, 0.5, 0.35, 0.69, 0.87, 0.69, 0.74, 0.07,
  0.09, 0.81, 0.78, 0.48, 0.35, 2, 0.9, 0.54,
];
