import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { EXCERPTS } from "./excerpts.ts";
import type { Peer } from "./peer.ts";

/** A cheat of measures of cost: whenever it cuts, the last human message and the open step are all that is left. */
export const LAST_HUMAN_ONLY: Peer = {
  policy: {
    ...PLIMSOLL_POLICY,
    name: "last-human-only",
    keep: [{ kind: "recent", messages: 0 }],
    strategies: [{ kind: "drop-oldest", amount: "all-but-keep", notice: "none" }],
    overflow: { keep: [{ kind: "recent", messages: 0 }], maxRecoveries: 3 },
    facts: { maxTokens: 0 },
  },
  figures: { chosen: ["it acts where plimsoll acts [ours]"] },
  readOn: "2026-11-22",
  notExpressed: ["it is no system: it is made to cheat one kind of measure, and no rule of decision picks it"],
};

/** A cheat of measures of single lines: whenever it cuts, single lines of all that went stay, and nothing else. */
export const ALL_EXCERPTS: Peer = {
  ...LAST_HUMAN_ONLY,
  policy: { ...LAST_HUMAN_ONLY.policy, name: "all-excerpts", strategies: [{ kind: EXCERPTS.kind }] },
};
