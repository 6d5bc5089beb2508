import type { CharsPerTokenSpec } from "../../tokens/chars-per-token.ts";
import type { Policy } from "../policy.ts";
import { FALLBACK, PLAIN_LABELS } from "./common-parts.ts";

/** Never asked for: it prices what a table shows. */
const LENGTH_ESTIMATE: CharsPerTokenSpec = {
  kind: "chars-per-token",
  charsPerToken: 4,
  unit: "utf8-bytes",
  rounding: "floor",
  perMessageTokens: 0,
  minimumMessageTokens: 1,
  imageTokens: 765,
};

/** A policy that never compacts. It shows what a session costs, and where it ends, without compaction. */
export const NONE_POLICY: Policy = {
  name: "none",
  enabled: false,
  estimator: { kind: "calibrated-ema", of: LENGTH_ESTIMATE, alphaRatio: 0.2, minimumFactor: 0.5, maximumFactor: 3 },
  cutEstimator: null,
  gates: { at: [], countPending: false },
  trigger: { atLeast: { ratio: 0.75, of: "input-budget" } },
  afterPause: null,
  emergency: null,
  keep: [{ kind: "recent", messages: 6 }],
  manualKeep: null,
  strategies: [],
  fallback: FALLBACK,
  truncation: null,
  overflow: { keep: [{ kind: "recent", messages: 6 }], maxRecoveries: 2 },
  unknownWindow: "off",
  subAgents: "own",
  summary: {
    role: "assistant",
    sections: [
      "Active Task",
      "Key Decisions & Rationale",
      "Files & Artifacts",
      "Constraints & Requirements",
      "Pending Items",
      "Session Narrative",
    ],
    maxTokens: 4096,
    turnPrefixMaxTokens: 4096,
    request: "serialised",
    resultCapChars: null,
    labels: PLAIN_LABELS,
  },
  progress: { minimumNewTokens: 0, maximumFailures: 3 },
  facts: { maxTokens: 0 },
};

/**
 * Applies the compactions that the recorded agent itself made, and nothing else. It serves the validity of a replay and the
 * calibration of estimators; it is the one policy under which a replay folds recorded compactions.
 * Calibration under it measures the estimator of our default policy.
 */
export const RECORDED_POLICY: Policy = { ...NONE_POLICY, name: "recorded", estimator: { kind: "ledger" } };
