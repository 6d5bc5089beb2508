import type { Policy } from "@plimsoll/core";
import type { EnginePolicy } from "@plimsoll/core/extend";
import { ALL_EXCERPTS, LAST_HUMAN_ONLY } from "./cheats.ts";
import { CLAUDE_CODE_2_1_20_PEER, CLAUDE_CODE_PEER } from "./claude-code.ts";
import { CLINE_PEER } from "./cline.ts";
import { CLINE_CLI_PEER } from "./cline-cli.ts";
import { CODEX_PEER } from "./codex.ts";
import { CONTEXT_EDITING_PEER } from "./context-editing.ts";
import { GEMINI_CLI_PEER } from "./gemini-cli.ts";
import { LANGCHAIN_CONTEXT_EDITING_PEER, LANGCHAIN_PEER } from "./langchain.ts";
import { OPENCODE_PEER, OPENCODE_PRUNE_PEER } from "./opencode.ts";
import type { Peer } from "./peer.ts";
import { PI_0_73_PEER } from "./pi.ts";
import { QWEN_CODE_PEER } from "./qwen-code.ts";

/** The built-in peers: other systems' compaction as policies, in the order in which tables show them. */
export const PEERS: readonly Peer[] = [
  CLAUDE_CODE_PEER,
  CLAUDE_CODE_2_1_20_PEER,
  CODEX_PEER,
  OPENCODE_PEER,
  OPENCODE_PRUNE_PEER,
  GEMINI_CLI_PEER,
  QWEN_CODE_PEER,
  PI_0_73_PEER,
  CLINE_PEER,
  CLINE_CLI_PEER,
  LANGCHAIN_PEER,
  CONTEXT_EDITING_PEER,
  LANGCHAIN_CONTEXT_EDITING_PEER,
  LAST_HUMAN_ONLY,
  ALL_EXCERPTS,
];

/** The end of the name of a policy that runs without its fallback ({@link asPublished}). */
const AS_PUBLISHED = " (as published)";

/**
 * Copies the policy without its fallback: it compacts at its own trigger, tries its own strategies, and loses a call if they free too little, as the
 * program that it imitates does. {@link AS_PUBLISHED} ends its name.
 */
export function asPublished(policy: Policy): EnginePolicy {
  return { ...policy, name: `${policy.name}${AS_PUBLISHED}`, fallback: null };
}
