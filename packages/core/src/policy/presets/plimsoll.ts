import type { Amount } from "../../budget.ts";
import { withKnob } from "../knobs.ts";
import type { Policy } from "../policy.ts";
import { FALLBACK, SQUARE_LABELS } from "./common-parts.ts";

/**
 * Below this share of the room for messages no cut is made for its price: few sessions go on long enough to pay for it. Chosen, as `pays` and the shares below,
 * on the sessions of docs/evidence.md's side `choose`.
 */
const LINE: Amount = { ratio: 0.25, of: "room" };

/** The rules for messages that stay word for word, the worthiest first. */
const KEEP: Policy["keep"] = [
  { kind: "recent", amount: { ratio: 0.05, of: "room" } },
  { kind: "human", atMost: { min: [{ tokens: 20_000 }, { ratio: 0.2, of: "room" }] } },
  { kind: "plan", atMost: { ratio: 0.12, of: "room" } },
  { kind: "files-in-hand", atMost: { ratio: 0.25, of: "room" } },
  { kind: "recall", atMost: { ratio: 0.5, of: "room" } },
];

/**
 * The default policy, which asks no model. The newest steps, the person's messages, the plan and the files in use stay as they are; a digest and
 * passages of the whole log that are likely to be needed replace the rest. It decides by the upper bound of the expected size, without a
 * reserve. docs/decisions/keep-rules.md gives the reasons for its numbers.
 */
export const PLIMSOLL_POLICY: Policy = {
  name: "plimsoll",
  enabled: true,
  estimator: { kind: "ledger" },
  cutEstimator: null,
  gates: { at: ["before-submit", "before-step"], countPending: true },
  trigger: { atLeast: LINE, pays: 12 },
  afterPause: { after: "cache-expiry", atLeast: LINE },
  minimumFreedRatio: 1 / 3,
  emergency: null,
  keep: KEEP,
  manualKeep: null,
  strategies: [{ kind: "summarize", writer: "digest", boundary: "any-safe", promptId: "digest", turnPrefixPromptId: null }],
  fallback: FALLBACK,
  truncation: { capTokens: 16_000, keeps: "diagnoses" },
  overflow: { keep: KEEP, maxRecoveries: 3 },
  unknownWindow: { tokens: 128_000 },
  subAgents: "own",
  summary: {
    role: "user",
    sections: ["Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context"],
    maxTokens: 4096,
    turnPrefixMaxTokens: 4096,
    request: "prefix",
    reasoning: "low",
    resultCapChars: 2000,
    labels: SQUARE_LABELS,
  },
  progress: { minimumNewTokens: 1000, minimumSteps: 10, maximumFailures: 3 },
  facts: { maxTokens: 1280 },
};

/** As plimsoll, with a third of its plans and less of its files in hand and recalled passages: cheaper, and old text is lost more often. */
export const PLIMSOLL_ECONOMY_POLICY: Policy = Object.entries({ plan: "4%", "files-in-hand": "4%", recall: "14%" }).reduce(
  (policy, [rule, amount]) => withKnob(policy, `keep.${rule}`, amount),
  { ...PLIMSOLL_POLICY, name: "plimsoll-economy" },
);

/** As plimsoll, with the vendor's own compaction where the session's wire has it: a block that keeps the thinking of what stays valid. */
export const PLIMSOLL_VENDOR_POLICY: Policy = { ...withKnob(PLIMSOLL_POLICY, "writer", "vendor"), name: "plimsoll-vendor" };

/** As plimsoll, but the model writes the summary. Its request continues the conversation, so it reads the provider's prompt cache. */
export const PLIMSOLL_MODEL_POLICY: Policy = { ...withKnob(PLIMSOLL_POLICY, "writer", "model"), name: "plimsoll-model" };
