import { isRecord } from "../json.ts";
import { PLIMSOLL_POLICY } from "./presets/plimsoll.ts";

/**
 * A policy as somebody wrote it, in the form that policies have now. Older ones say nothing of a fallback: they get the one that the engine
 * added to every policy then, which all presets have. What is malformed is left for the schema to judge.
 */
export function policyInNewestForm(written: unknown): unknown {
  return isRecord(written) && !Object.hasOwn(written, "fallback")
    ? { ...written, fallback: PLIMSOLL_POLICY.fallback }
    : written;
}
