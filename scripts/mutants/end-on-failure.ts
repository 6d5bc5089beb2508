import { configureGlobal } from "fast-check";

// A mutant is noticed by the first case that fails. Nobody reads the smallest one.
configureGlobal({ endOnFailure: true, seed: 1 });
