import type { Amount } from "@plimsoll/core";
import { PLIMSOLL_POLICY, type Policy } from "@plimsoll/core";

const share = (ratio: number): Amount => ({ ratio, of: "input-budget" });

const KEEP: Policy["keep"] = [
  { kind: "recent", amount: share(0.05) },
  { kind: "lines", atMost: share(0.15) },
];

/** The preset `plimsoll` as it was before it recalled passages: it cut earlier, and kept scattered lines in place of messages. */
export const POLICY_BEFORE: Policy = {
  ...PLIMSOLL_POLICY,
  name: "plimsoll-before",
  trigger: { atLeast: { max: [share(0.75), { min: [share(0.97), { tokens: 50_000 }] }] } },
  afterPause: { pauseMs: 300_000, atLeast: { max: [share(0.5), { min: [share(0.8), { tokens: 40_000 }] }] } },
  keep: KEEP,
  overflow: { ...PLIMSOLL_POLICY.overflow, keep: KEEP },
};
