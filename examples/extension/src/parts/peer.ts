import type { Peer } from "@plimsoll/bench";
import { PI_POLICY } from "@plimsoll/core";
import type { PlainSpec } from "./estimator.ts";
import type { OpeningSpec } from "./keep-rule.ts";
import type { ForgetSpec } from "./strategy.ts";

const QUARTERS: PlainSpec = { kind: "plain", tokensPerChar: 0.25 };
const BEGINNING: OpeningSpec = { kind: "opening", atMost: { ratio: 0.1, of: "window" } };
const FORGETFUL: ForgetSpec = { kind: "forget", keepMessages: 4 };

/** A system that was made up. */
export const HASTY: Peer = {
  policy: {
    ...PI_POLICY,
    name: "hasty",
    estimator: QUARTERS,
    trigger: { above: { ratio: 0.4, of: "window" } },
    keep: [...PI_POLICY.keep, BEGINNING],
    strategies: [FORGETFUL],
  },
  figures: { chosen: ["it acts at 0.4 of the window [made up for a test]"] },
  readOn: "2026-11-22",
  notExpressed: ["everything else"],
};
