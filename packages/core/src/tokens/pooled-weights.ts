/**
 * Tokens of one of each character class, pooled over all models of the recorded sessions. Written by `pnpm calibrate --refit`:
 * robust least squares on the differences of consecutive reports (docs/evidence.md), 2026-11-22.
 */
// biome-ignore format: a row of eight is read next to the classes
export const POOLED_WEIGHTS: readonly number[] = [
  0.45, 1.33, 0.87, 1.35, 0.03, 0.05, 0.13, 0.28,
  1.78, 0.19, 0.52, 0.1, 1.06, 0.05, 0.25, 0.3,
  0.4, 0.43, 0.32, 0.65, 0.78, 0.8, 1.02, 0.08,
  0.25, 0.8, 0.73, 0.15, 0.5, 1.99, 1.28, 0.39,
];
