import type { Policy } from "../policy.ts";
import { NONE_POLICY } from "./none.ts";

/**
 * Applies the boundaries that the recorded agent itself made, and nothing else. It serves the validity of a replay and the
 * calibration of estimators; it is the one policy under which a replay folds recorded compactions.
 * What it calibrates is the estimator of our own default.
 */
export const RECORDED_POLICY: Policy = { ...NONE_POLICY, name: "recorded", estimator: { kind: "ledger" } };
