import type { Policy } from "../policy.ts";
import { SVEN_POLICY } from "./sven.ts";

/** A policy that never compacts by itself. It shows a session's cost, and its end, without compaction; sven's estimate prices a table's figures. */
export const NONE_POLICY: Policy = {
  ...SVEN_POLICY,
  name: "none",
  enabled: false,
  gates: { at: [], countPending: false },
  trigger: { atLeast: { ratio: 0.75, of: "input-budget" } },
  emergency: null,
  strategies: [],
  truncation: null,
};

/**
 * Applies the compactions that the recorded agent itself made, and nothing else. It serves the validity of a replay and the
 * calibration of estimators; it is the one policy under which a replay folds recorded compactions.
 * Calibration under it measures the estimator of our default policy.
 */
export const RECORDED_POLICY: Policy = { ...NONE_POLICY, name: "recorded", estimator: { kind: "ledger" } };
