import { BASE_POLICY } from "./base-policy.ts";
import type { Peer } from "./peer.ts";

/** Anthropic's context editing on the server (`clear_tool_uses_20250919`) with its defaults: above 100,000 input tokens all but three results. */
export const CONTEXT_EDITING_PEER: Peer = {
  policy: {
    ...BASE_POLICY,
    name: "clear-tool-uses",
    gates: { at: ["before-step"], countPending: true },
    trigger: { above: { tokens: 100_000 } },
    keep: [{ kind: "recent", messages: 6 }],
    strategies: [{ kind: "clear-tool-results", keepResults: 3, clearAtLeastTokens: 0 }],
    overflow: { keep: [{ kind: "recent", messages: 6 }], maxRecoveries: 1 },
  },
  figures: {
    primary: [
      "it acts above 100,000 input tokens, keeps 3 tool uses, and clears without a minimum (trigger, keep, clear_at_least) [https://platform.claude.com/docs/en/build-with-claude/context-editing]",
    ],
  },
  readOn: "2026-11-22",
  notExpressed: [
    "below 100,000 tokens it does nothing, whatever the window; in smaller ones the fallback compacts at the budget, and as published it loses calls",
    "it edits each request on the server and keeps no state; here what was cleared stays cleared",
    "if clearing is not enough the request fails there; here the fallback follows",
    "its placeholder has no handle",
  ],
};
