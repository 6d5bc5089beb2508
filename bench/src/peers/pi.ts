import { PI_POLICY } from "@plimsoll/core";
import type { Peer } from "./peer.ts";

/** pi up to 0.73: as the preset, but it looks at its size only at the end of a run. */
export const PI_0_73_PEER: Peer = {
  policy: {
    ...PI_POLICY,
    name: "pi-0.73",
    gates: { at: ["before-submit"], countPending: false },
    summary: {
      ...PI_POLICY.summary,
      labels: { ...PI_POLICY.summary.labels, reasoning: { before: "[Assistant thinking]: ", after: "" } },
    },
  },
  figures: {
    primary: [
      "it acts above window − 16,384 and keeps 20,000 tokens (DEFAULT_COMPACTION_SETTINGS) [@mariozechner/pi-coding-agent@0.73.1 dist/core/compaction/compaction.js]",
      "it looks when a run has ended, and before the next prompt (_checkCompaction) [@mariozechner/pi-coding-agent@0.73.1 dist/core/agent-session.js]",
    ],
  },
  readOn: "2026-11-22",
  notExpressed: [
    "a newest result above the kept amount keeps everything",
    "what came after the last report is counted; the program takes the report alone",
    "where what is kept exceeds the line by itself, the engine refuses a cut that does not shrink",
    "the beginning of the session's first turn is summarised as history: nothing is older",
    "a line that reads as a speaker is quoted, so that nobody speaks for another",
    "the lists of files take a tenth of the room at most, and count what is left out",
    "reasoning whose text the vendor hides is written as a piece without text; ours leaves it out",
  ],
};
