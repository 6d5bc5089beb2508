import type { ClassCounts } from "./char-classes.ts";

/**
 * Tokens of one of each character class, pooled over all models of the recorded sessions. Written by `pnpm calibrate:refit`
 * (bench/src/calibrate): robust least squares on the differences of consecutive reports, 2026-11-21.
 */
export const POOLED_WEIGHTS: ClassCounts = [
  0.008, 1.047, 0.39, 1.469, 0.049, 0.147, 0.0, 0.229, 1.691, 0.225, 0.775, 0.103, 1.188, 0.13, 0.114, 0.321, 0.438, 0.419,
  0.268, 0.709, 0.855, 0.568, 0.623, 0.056, 0.116, 0.771, 0.783, 0.353, 2.687, 1.998, 0.9, 0.452,
];
