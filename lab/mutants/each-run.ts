import { configureGlobal } from "fast-check";
import { inject } from "vitest";

// A mutant is noticed by the first case that fails, and nobody reads the smallest one. Most are noticed within a few cases, and always by the same.
configureGlobal({ endOnFailure: true, seed: 1, numRuns: 30 });

// In a kept thread the last run's mutant would still be on while this run's tests are collected.
const stryker: unknown = Reflect.get(globalThis, "__stryker__");
const activation: unknown = Reflect.apply(inject, undefined, ["mutantActivation"]);
if (activation === "runtime" && typeof stryker === "object" && stryker !== null)
  Reflect.set(stryker, "activeMutant", undefined);
