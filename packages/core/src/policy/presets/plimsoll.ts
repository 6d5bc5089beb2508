import type { Amount } from "../../budget.ts";
import { withKnob } from "../knobs.ts";
import type { Policy } from "../policy.ts";
import { FALLBACK, SQUARE_LABELS } from "./common-parts.ts";

/**
 * Below this share of the room for messages no cut is made for its price: few sessions go on long enough to pay for it.
 *
 * The figures behind values are *cost %* and *older %* of `plimsoll bench SESSIONS -p none -p FILE -w 64k`, the file with another value in place of ours: 39 sessions of 11 owners that choose,
 * 29 November 2026. The default has 77.0, 59.7 (at 128k 81.0, 81.5); "same" is within 0.2 of both.
 */
const LINE: Amount = { ratio: 0.25, of: "room" }; // 10% and 50%: same; 50% at 128k: 81.2, 82.1

/** The rules for messages that stay word for word, the worthiest first. */
const KEEP: Policy["keep"] = [
  { kind: "recent", amount: { ratio: 0.05, of: "room" } }, // 3%: 76.5, 58.4; 10%: 78.3, 58.9
  { kind: "human", atMost: { min: [{ tokens: 20_000 }, { ratio: 0.2, of: "room" }] } }, // Codex's 20,000; 10% and 40%: same
  { kind: "plan", atMost: { ratio: 0.12, of: "room" } }, // 6% and 24%: same
  { kind: "files-in-hand", atMost: { ratio: 0.25, of: "room" } }, // 18%: 74.9, 56.5; 35%: 78.5, 59.8
  { kind: "recall", atMost: { ratio: 0.5, of: "room" } }, // 40%: 74.7, 53.9; 60%: 77.6, 60.1
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
  trigger: { atLeast: LINE, pays: 12 }, // 24: 77.4, 59.8; at 128k 83.2, 85.3
  afterPause: { after: "cache-expiry", atLeast: LINE },
  minimumFreedRatio: 1 / 3, // 1/5: 76.9, 60.1; 1/2: 77.2, 60.6
  emergency: null,
  keep: KEEP,
  manualKeep: null,
  strategies: [{ kind: "summarize", writer: "digest", boundary: "any-safe", promptId: "digest", turnPrefixPromptId: null }],
  fallback: FALLBACK,
  truncation: { capTokens: 32_000, keeps: "diagnoses" }, // 16k saves nothing and loses text (docs/evidence.md); 64k: same
  overflow: { keep: KEEP, maxRecoveries: 3 }, // the least that a fallback makes
  unknownWindow: { tokens: 128_000 }, // opal's
  subAgents: "own",
  summary: {
    role: "user",
    sections: ["Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context"],
    maxTokens: 4096, // sven's and opal's
    turnPrefixMaxTokens: 4096, // the same
    request: "prefix",
    reasoning: "low",
    resultCapChars: 2000, // pi's; only models' summaries read it
    labels: SQUARE_LABELS,
  },
  // Tokens: 500 and 2,000: same. Steps (steps-bought.test.ts): 5 and 20: same. Failures end loops: no cut of these sessions fails.
  progress: { minimumNewTokens: 1000, minimumSteps: 10, maximumFailures: 3 },
  facts: { maxTokens: 1280 }, // 640: same; 2,560: 77.4, 60.3
};

/**
 * As plimsoll, with about half of its plans and recalled passages and less of its files in hand: cheaper, and old text is lost more often. The shares are 4, 4 and
 * 14% of the input budget where system text and tools fill two fifths of it.
 */
export const PLIMSOLL_ECONOMY_POLICY: Policy = Object.entries({ plan: "7%", "files-in-hand": "7%", recall: "24%" }).reduce(
  (policy, [rule, amount]) => withKnob(policy, `keep.${rule}`, amount),
  { ...PLIMSOLL_POLICY, name: "plimsoll-economy" },
);

/** As plimsoll, with the vendor's own compaction where the session's wire has it: a block that keeps the thinking of what stays valid. */
export const PLIMSOLL_VENDOR_POLICY: Policy = { ...withKnob(PLIMSOLL_POLICY, "writer", "vendor"), name: "plimsoll-vendor" };

/** As plimsoll, but the model writes the summary. Its request continues the conversation, so it reads the provider's prompt cache. */
export const PLIMSOLL_MODEL_POLICY: Policy = { ...withKnob(PLIMSOLL_POLICY, "writer", "model"), name: "plimsoll-model" };
