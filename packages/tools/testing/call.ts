import { createMemoryArtifactStore } from "@plimsoll/core";
import type { AgentTool, ToolOutput } from "@plimsoll/core/extend";

/** Runs one call of a tool outside any session. */
export function call(
  tool: AgentTool,
  args: unknown,
  context: Partial<Parameters<AgentTool["run"]>[1]> = {},
): Promise<ToolOutput> {
  return tool.run(args, {
    sessionId: "test",
    callId: "call-1",
    signal: new AbortController().signal,
    artifacts: createMemoryArtifactStore(),
    contextCall: async ({ name }) => name,
    runSubAgent: () => Promise.reject(new Error("no sub-agents here")),
    ...context,
  });
}
