import { startAgent } from "@plimsoll/agent";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { createAnthropicClient } from "@plimsoll/providers/anthropic";
import { createFileArtifactStore, createFileSessionStore } from "@plimsoll/stores";
import { openWorkspace, readFileTool, runTerminalCommandTool } from "@plimsoll/tools";

/** Works on a task in a folder and returns the final text. The session's log is in the folder, too. */
export async function work(task: string, folder: string, baseUrl = "https://api.anthropic.com"): Promise<string> {
  const workspace = await openWorkspace(folder);
  const agent = await startAgent({
    session: { kind: "new", sessionId: `work-${Date.now()}`, system: "You are a coding agent." },
    sessions: createFileSessionStore({ folder: `${folder}/.plimsoll/sessions` }),
    artifacts: createFileArtifactStore(`${folder}/.plimsoll/artifacts`),
    model: {
      client: createAnthropicClient({ baseUrl }), // asks with the key in ANTHROPIC_API_KEY
      modelId: "claude-sonnet-5-5",
      limits: { contextWindowTokens: 1_000_000, maxOutputTokens: 32_000 },
    },
    policy: PLIMSOLL_POLICY,
    tools: [readFileTool({ workspace }), runTerminalCommandTool({ workspace, env: process.env })],
    nowMs: Date.now,
    onEvent: (event) => {
      if (event.type === "compaction-end") console.log(`${event.tokensBefore} → ${event.tokensAfter} tokens`);
    },
  });
  const { text, error } = await agent.submit(task);
  await agent.close();
  return error === null ? text : error.message;
}
