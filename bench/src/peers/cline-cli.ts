import type { Amount, Policy } from "@plimsoll/core";
import { PI_POLICY } from "@plimsoll/core";
import type { Peer } from "./peer.ts";

/** Of a model of which the window alone is known nine tenths are taken for input; it acts at nine tenths of them. */
const LINE_RATIO = 0.9 * 0.9;
/** It trims to half of the input. */
const TARGET: Amount = { ratio: 0.9 * 0.5, of: "window" };
const KEEP: Policy["keep"] = [{ kind: "recent", amount: TARGET }];

/** Cline's CLI 3.0.65, on its SDK: at 0.81 of the window the older messages go until half of the input is left; no model is asked. */
export const CLINE_CLI_PEER: Peer = {
  policy: {
    ...PI_POLICY,
    name: "cline-cli",
    gates: { at: ["before-step"], countPending: true },
    trigger: { atLeast: { ratio: LINE_RATIO, of: "window" } },
    keep: KEEP,
    strategies: [{ kind: "drop-oldest", amount: "all-but-keep", notice: "none" }],
    overflow: { keep: KEEP, maxRecoveries: 1 },
  },
  figures: [
    {
      says: "it acts at 0.9 of the input limit, which is 0.9 of the window where a window alone is known (COMPACTION_TRIGGER_RATIO, CONTEXT_WINDOW_INPUT_RATIO)",
      source: "cline/cline sdk/packages/core/src/extensions/context/compaction-shared.ts @9a2512b",
      standing: "primary",
    },
    {
      says: "it trims to 0.5 of the input limit in sessions of five exchanges or more, else to 0.7 of the line (resolveAutoRequestTargetTokens)",
      source: "cline/cline sdk/packages/core/src/extensions/context/compaction.ts @9a2512b",
      standing: "primary",
    },
  ],
  line: { follows: "share", source: "compaction-shared.ts @9a2512b" },
  readOn: "2026-11-22",
  notExpressed: [
    "the 0.7 of the line to which it trims shorter sessions",
    "a model that names its input limit is taken at that; here each is taken at its window",
    "3.0.65 was not seen to act in windows of 128,000 and 200,000 tokens while usage was reported (observatory/facts/cline.json); where it is missing it acted at 41,200 of 64,000 by its own estimate",
    "which messages it shortens before it drops any was not looked at; ours drops whole ones",
    "a small request without tools before it trims, of some 600 tokens, which is not one for a summary of the history",
    "its other strategy, which asks a model",
  ],
};
