import type { Peer } from "@plimsoll/bench";
import { PI_POLICY } from "@plimsoll/core";

/** A system that was made up. */
export const HASTY: Peer = {
  policy: { ...PI_POLICY, name: "hasty", trigger: { above: { ratio: 0.4, of: "window" } } },
  figures: [{ says: "it acts at 0.4 of the window", source: "made up for a test", standing: "chosen" }],
  readOn: "2026-11-22",
  notExpressed: ["everything else"],
};
