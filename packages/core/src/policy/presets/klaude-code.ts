import type { Amount } from "../../budget.ts";
import type { CharsPerTokenSpec } from "../../tokens/chars-per-token.ts";
import type { Policy } from "../policy.ts";
import { PI_POLICY } from "./pi.ts";

/** klaude-code's estimate: characters / 4, ceiling, at least 1; 300 an image (its tests K-e1). */
export const KLAUDE_CODE_LENGTH_ESTIMATE: CharsPerTokenSpec = {
  kind: "chars-per-token",
  charsPerToken: 4,
  unit: "code-points",
  rounding: "ceil",
  perMessageTokens: 0,
  minimumMessageTokens: 1,
  imageTokens: 300,
};

/** Its code's share kept free: half of the input budget in windows above 524,288 tokens, a quarter below (its tests K-c1). */
const RESERVE_LEAVES: Amount = {
  windowAbove: 524_288,
  above: { ratio: 0.5, of: "input-budget" },
  upTo: { ratio: 0.75, of: "input-budget" },
};

/** Its code's kept tail: 20,000, in small windows 35 % but at least 4,096, and never more than three quarters of the window (K-c1). */
const KEEP: Amount = {
  min: [{ tokens: 20_000 }, { max: [{ tokens: 4096 }, { ratio: 0.35, of: "window" }] }, { ratio: 0.75, of: "window" }],
};

/** klaude-code as its code is today: context ≥ (window − maximum output) − reserve, checked before a run and at each step. */
export const KLAUDE_CODE_POLICY: Policy = {
  ...PI_POLICY,
  name: "klaude-code",
  estimator: { kind: "usage-anchored", of: KLAUDE_CODE_LENGTH_ESTIMATE, anchor: "prompt-and-reply" },
  cutEstimator: KLAUDE_CODE_LENGTH_ESTIMATE,
  gates: { at: ["before-submit", "before-step"], countPending: false },
  trigger: { atLeast: RESERVE_LEAVES },
  keep: KEEP,
  overflow: { keep: KEEP, maxRecoveries: 1 },
  subAgents: "off",
};

/** klaude-code as its document says: strictly above window − min(16,384, 25 %), and min(20,000, 35 %) kept. */
export const KLAUDE_CODE_DOCUMENT_POLICY: Policy = {
  ...KLAUDE_CODE_POLICY,
  name: "klaude-code-document",
  trigger: { above: { minus: [{ ratio: 1, of: "window" }, { min: [{ tokens: 16_384 }, { ratio: 0.25, of: "window" }] }] } },
  keep: { min: [{ tokens: 20_000 }, { ratio: 0.35, of: "window" }] },
  overflow: { keep: { min: [{ tokens: 20_000 }, { ratio: 0.35, of: "window" }] }, maxRecoveries: 1 },
};
