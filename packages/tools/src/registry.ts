import type { OutputCategory } from "@plimsoll/core";
import { PlimsollError } from "@plimsoll/core";
import type { AgentTool } from "@plimsoll/core/agent";

/** Tools by name. */
export interface ToolRegistry {
  readonly tools: readonly AgentTool[];
  find(name: string): AgentTool | undefined;
  /** How the output of a tool of that name may be shortened; `generic` for a name that nobody declared. */
  categoryOf(name: string): OutputCategory;
}

/**
 * A registry of the tools given.
 *
 * @throws PlimsollError `bad-input` where two have one name.
 */
export function createToolRegistry(tools: readonly AgentTool[]): ToolRegistry {
  const byName = new Map<string, AgentTool>();
  for (const tool of tools) {
    const { name } = tool.spec;
    if (byName.has(name)) throw new PlimsollError("bad-input", `two tools are named "${name}"`, { name });
    byName.set(name, tool);
  }
  return {
    tools,
    find: (name) => byName.get(name),
    categoryOf: (name) => byName.get(name)?.category ?? "generic",
  };
}
