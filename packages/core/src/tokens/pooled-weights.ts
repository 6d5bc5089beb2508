import type { ClassCounts } from "./char-classes.ts";

/**
 * Tokens of one of each character class, pooled over all models of the recorded sessions. Written by `pnpm calibrate --refit`:
 * robust least squares on the differences of consecutive reports (docs/estimators.md), 2026-11-21.
 */
// biome-ignore format: a row of eight is read beside the classes
export const POOLED_WEIGHTS: ClassCounts = [
  0.013, 1.031, 0.403, 1.305, 0.095, 0.111, 0.017, 0.246,
  1.716, 0.224, 0.715, 0.076, 1.131, 0.28, 0.125, 0.174,
  0.477, 0.488, 0.327, 0.69, 0.876, 0.665, 0.722, 0.068,
  0.098, 0.809, 0.777, 0.487, 0.388, 1.995, 0.9, 0.512,
];
