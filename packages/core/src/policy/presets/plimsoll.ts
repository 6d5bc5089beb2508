import type { Amount } from "../../budget.ts";
import type { Policy } from "../policy.ts";
import { BRACKETED_LABELS } from "./labels.ts";
import { CHECKPOINT_SECTIONS, PI_POLICY } from "./pi.ts";

/**
 * What a cut costs is much the same in any window, what reading costs grows with it: a small window is filled to the brim, a large one to
 * three quarters. Chosen on one half of the recorded sessions.
 */
const LINE: Amount = {
  max: [{ ratio: 0.75, of: "input-budget" }, { min: [{ ratio: 0.97, of: "input-budget" }, { tokens: 50_000 }] }],
};

/** After a pause the rewrite is paid for anyway: half a large window is enough to cut, four fifths of a small one, where a cut leaves nearly half. */
const LINE_AFTER_PAUSE: Amount = {
  max: [{ ratio: 0.5, of: "input-budget" }, { min: [{ ratio: 0.8, of: "input-budget" }, { tokens: 40_000 }] }],
};

/** How long most providers keep a prompt that nobody reads. */
const CACHE_LIFE_MS = 300_000;

/**
 * Our own default. It asks no model: the oldest part gives way to a digest, beside which the lines that replies used most stay word for
 * word, so little of the newest history has to. Its safety is the ledger's upper bound, not a reserve. The numbers were chosen on one half of
 * the recorded sessions and tested on the other (docs/decisions/0016).
 */
export const PLIMSOLL_POLICY: Policy = {
  ...PI_POLICY,
  name: "plimsoll",
  estimator: { kind: "ledger" },
  cutEstimator: null,
  gates: { at: ["before-submit", "before-step"], countPending: true },
  trigger: { atLeast: LINE },
  afterPause: { pauseMs: CACHE_LIFE_MS, atLeast: LINE_AFTER_PAUSE },
  keep: { ratio: 0.05, of: "input-budget" },
  strategies: [{ kind: "summarize", writer: "digest", boundary: "any-safe", promptId: "digest", turnPrefixPromptId: null }],
  truncation: { capTokens: 16_000 },
  overflow: { keep: { ratio: 0.05, of: "input-budget" }, maxRecoveries: 3 },
  unknownWindow: { tokens: 128_000 },
  summary: {
    role: "user",
    sections: CHECKPOINT_SECTIONS,
    maxTokens: 4096,
    turnPrefixMaxTokens: 4096,
    request: "prefix",
    resultCapChars: 2000,
    labels: BRACKETED_LABELS,
  },
  progress: { target: null, minimumNewTokens: 1000, maximumFailures: 3 },
  excerpts: { atMost: { ratio: 0.15, of: "input-budget" } },
};

/** The same with a summary that the model writes, asked for behind the conversation so that the provider's prompt cache is read. */
export const PLIMSOLL_MODEL_POLICY: Policy = {
  ...PLIMSOLL_POLICY,
  name: "plimsoll-model",
  strategies: [{ kind: "summarize", writer: "model", boundary: "any-safe", promptId: "checkpoint", turnPrefixPromptId: null }],
};
