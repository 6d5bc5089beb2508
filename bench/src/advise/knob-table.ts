import { agentVersionAtLeast } from "../formats/agent-windows.ts";
import type { LocatedAgent } from "../formats/locations.ts";
import type { AgentKnobs } from "./agent-knobs.ts";
import { CLAUDE_CODE_KNOBS } from "./claude-code.ts";
import { CODEX_KNOBS } from "./codex.ts";
import { GEMINI_CLI_KNOBS } from "./gemini-cli.ts";
import { OPENCODE_2_KNOBS, OPENCODE_KNOBS } from "./opencode.ts";
import { PI_KNOBS } from "./pi.ts";

/** The settings for compaction of every agent that advice knows; of one agent, the newer names come after the older ones. */
export const KNOB_TABLE: readonly AgentKnobs[] = [
  CLAUDE_CODE_KNOBS,
  CODEX_KNOBS,
  PI_KNOBS,
  OPENCODE_KNOBS,
  OPENCODE_2_KNOBS,
  GEMINI_CLI_KNOBS,
];

/** Finds an agent's settings for compaction in a version (`null`: unknown, treated as old). Returns `null` if none are known. */
export function knobsOf(agent: LocatedAgent, version: string | null): AgentKnobs | null {
  return (
    KNOB_TABLE.findLast(
      (knobs) =>
        knobs.agent === agent && (knobs.from === null || (version !== null && agentVersionAtLeast(version, knobs.from))),
    ) ?? null
  );
}
