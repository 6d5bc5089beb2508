import { PI_POLICY } from "@plimsoll/core";
import type { DeclaredDifference, Likeness } from "./likeness.ts";
import type { Peer } from "./peer.ts";

/** Differences of the preset from either version of the program. */
const BOTH: readonly DeclaredDifference[] = [
  {
    aspect: "trigger",
    kind: "no-room",
    says: "where what is kept exceeds the line by itself, the engine refuses a cut that does not shrink",
  },
  {
    aspect: "trigger",
    kind: "near-line",
    says: "where a report's output count cannot be right, the reply is counted by its length",
  },
  {
    aspect: "split-turn",
    kind: "nothing-older",
    says: "the beginning of the session's first turn is summarised as history: nothing is older",
  },
  { aspect: "history", kind: "quoted", says: "a line that reads as a speaker is quoted, so that nobody speaks for another" },
  {
    aspect: "turn-prefix",
    kind: "quoted",
    says: "a line that reads as a speaker is quoted, so that nobody speaks for another",
  },
  { aspect: "file-lists", kind: "room", says: "the lists take a tenth of the room at most, and count what is left out" },
];

/** The preset is the Go agent's design, and the newest pi does what its document says: it looks before each call. */
export const PI_LIKENESS: Likeness = { policy: "pi", follows: "@earendil-works/pi-coding-agent@1.5.2", differences: BOTH };

/** pi up to 0.73: as the preset, but it looks at its size at the end of a run alone. */
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
  line: { follows: "distance", source: "@mariozechner/pi-coding-agent@0.73.1 dist/core/compaction/compaction.js" },
  figures: [
    {
      says: "it acts above window − 16,384 and keeps 20,000 tokens (DEFAULT_COMPACTION_SETTINGS)",
      source: "@mariozechner/pi-coding-agent@0.73.1 dist/core/compaction/compaction.js",
      standing: "primary",
    },
    {
      says: "it looks when a run has ended, and before the next prompt (_checkCompaction)",
      source: "@mariozechner/pi-coding-agent@0.73.1 dist/core/agent-session.js",
      standing: "primary",
    },
  ],
  readOn: "2026-11-22",
  notExpressed: ["a newest result above the kept amount keeps everything"],
};

const HIDDEN = "reasoning whose text the vendor hides is written as a piece without text; ours leaves it out";

const HIDDEN_NEXT = "the same, next to reasoning that is shown: another number of pieces";

/** The peer against the last version under the old name. */
export const PI_0_73_LIKENESS: Likeness = {
  policy: PI_0_73_PEER.policy.name,
  follows: "@mariozechner/pi-coding-agent@0.73.1",
  differences: [
    ...BOTH,
    {
      aspect: "trigger",
      kind: "trailing",
      says: "what came after the last report is counted; the program takes the report alone",
    },
    { aspect: "history", kind: "reasoning", says: HIDDEN },
    { aspect: "turn-prefix", kind: "reasoning", says: HIDDEN },
    { aspect: "history", kind: "parts", says: HIDDEN_NEXT },
    { aspect: "turn-prefix", kind: "parts", says: HIDDEN_NEXT },
  ],
};
