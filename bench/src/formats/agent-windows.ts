/** The window that an agent of that version runs a model with, if its own rules say so. */
export interface AgentWindow {
  readonly tokens: number;
  readonly reason: string;
}

interface AgentRule extends AgentWindow {
  readonly agent: string;
  /** The first version that the rule no longer holds for. */
  readonly before: string;
}

/**
 * Rules of agents that keep a model below its own window. Claude Code, release notes of 2.1.75 (13 March 2026, quoted in
 * anthropics/claude-code#34143): from that version on some plans get a million tokens by default; before it every model had 200,000 unless its
 * name asked for more with `[1m]`.
 */
const RULES: readonly AgentRule[] = [
  { agent: "claude-code", before: "2.1.75", tokens: 200_000, reason: "Claude Code before 2.1.75 gives every model 200,000" },
];

/** Gives the window by the agent's version; `null` if the version does not determine it. */
export function agentWindowOf(agent: { readonly name: string; readonly version: string | null } | null): AgentWindow | null {
  const version = agent?.version ?? null;
  if (agent === null || version === null) return null;
  const rule = RULES.find(({ agent: name, before }) => name === agent.name && !agentVersionAtLeast(version, before));
  return rule === undefined ? null : { tokens: rule.tokens, reason: rule.reason };
}

/** Whether an agent's version is another one or a later one, number by number. */
export function agentVersionAtLeast(version: string, limit: string): boolean {
  return version.localeCompare(limit, "en", { numeric: true }) >= 0;
}
