import type { Policy } from "../policy.ts";
import { SVEN_POLICY } from "./sven.ts";

/** Never edits anything: what a session costs, and where it ends, without compaction. */
export const NONE_POLICY: Policy = {
  ...SVEN_POLICY,
  name: "none",
  enabled: false,
  emergency: null,
  strategies: [],
  truncation: null,
  gates: { at: [], countPending: false },
};
