import { configureGlobal } from "fast-check";

// A mutant is noticed by the first case that fails, and the smallest one is not read. Most are noticed within a few cases, and always by the same.
configureGlobal({ endOnFailure: true, seed: 1, numRuns: 30 });
