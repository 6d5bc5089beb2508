import type { Amount, Policy } from "@plimsoll/core";
import { BASE_POLICY, LENGTH_ESTIMATE } from "./base-policy.ts";
import type { Peer } from "./peer.ts";

/** If only a model's window is known, nine tenths of it are taken for input; it compacts at nine tenths of them. */
const LINE_RATIO = 0.9 * 0.9;
const TARGET: Amount = { ratio: 0.9 * 0.5, of: "window" };
const KEEP: Policy["keep"] = [{ kind: "recent", amount: TARGET }];

/** Cline's CLI 3.0.65, on its SDK: at 0.81 of the window the older messages go until half of the input is left; no model is asked. */
export const CLINE_CLI_PEER: Peer = {
  policy: {
    ...BASE_POLICY,
    name: "cline-cli",
    // An image is counted as our other length estimates do: the program's figure was not looked at.
    estimator: { ...LENGTH_ESTIMATE, charsPerToken: 3, rounding: "ceil", imageTokens: 1200 },
    gates: { at: ["before-step"], countPending: true },
    trigger: { atLeast: { ratio: LINE_RATIO, of: "window" } },
    keep: KEEP,
    strategies: [{ kind: "drop-oldest", amount: "all-but-keep", notice: "none" }],
    overflow: { keep: KEEP, maxRecoveries: 1 },
  },
  figures: {
    primary: [
      "it compacts at 0.9 of the input limit, which is 0.9 of the window where a window alone is known (COMPACTION_TRIGGER_RATIO, CONTEXT_WINDOW_INPUT_RATIO) [cline/cline sdk/packages/core/src/extensions/context/compaction-shared.ts @9a2512b]",
      "it measures by itself, three characters a token (CHARS_PER_TOKEN), and takes no notice of what is reported [cline/cline sdk/packages/shared/src/llms/tokens.ts @9a2512b; cline 3.0.65 against a loopback provider]",
      "it trims to 0.5 of the input limit in sessions of five exchanges or more, else to 0.7 of the line (resolveAutoRequestTargetTokens) [cline/cline sdk/packages/core/src/extensions/context/compaction.ts @9a2512b]",
    ],
  },
  readOn: "2026-11-22",
  notExpressed: [
    "the 0.7 of the line to which it trims shorter sessions",
    "a model that names its input limit is taken at that; here each is taken at its window",
    "it counts the characters of the whole request as JSON, ours those of texts: of 64,000 tokens it acted at 40,600 of four characters each (lab/observatory/facts/cline.json), where three characters a token give 38,900",
    "which messages it shortens before it drops any was not looked at; ours drops whole ones",
    "a small request without tools before it trims, of some 600 tokens, which is not one for a summary of the history",
    "its other strategy, which asks a model",
  ],
};
