import { agentVersionAtLeast } from "../formats/agent-windows.ts";
import type { FileHead } from "../formats/importer.ts";
import type { SessionDescription } from "../open/session-description.ts";

interface RunningRule {
  readonly format: string;
  /** The first version that the policy is no longer like; every one if it is left out. */
  readonly before?: string;
  readonly policy: string;
}

/** The first rule that holds for an agent's version is its own. */
const RULES: readonly RunningRule[] = [
  // The versions of the two peers: up to 2.1.20, and from 2.1.25 on.
  { format: "claude-code", before: "2.1.21", policy: "claude-code-2.1.20" },
  { format: "claude-code", policy: "claude-code" },
  { format: "codex", policy: "codex" },
  { format: "pi", policy: "pi" },
  { format: "opencode", policy: "opencode" },
  { format: "gemini-cli", policy: "gemini-cli" },
  { format: "qwen-code", policy: "qwen-code" },
  { format: "cline", policy: "cline" },
];

/** Names the policy that imitates the compaction of the agent that wrote a log, as far as a policy can (docs/systems.md). `null` if there is none. */
export function policyRunBy({ format, agentVersion }: Pick<SessionDescription, "format" | "agentVersion">): string | null {
  const rule = RULES.find(
    ({ format: own, before }) =>
      own === format && (before === undefined || (agentVersion !== null && !agentVersionAtLeast(agentVersion, before))),
  );
  return rule?.policy ?? null;
}

/** Reads the agent's version from the first object at a log's beginning that states one; `null` if none does. */
export function versionInHead({ firstObjects }: FileHead): string | null {
  const versions = firstObjects.map(({ version }) => version);
  return versions.find((version) => typeof version === "string") ?? null;
}
