import type { AgentTool } from "@plimsoll/core/extend";
import { z } from "zod";
import { defineTool } from "./define-tool.ts";

/** `task`: gives a task to a sub-agent with a context of its own, and returns its last words. */
export function taskTool(): AgentTool {
  return defineTool({
    name: "task",
    description:
      "Gives a task to a sub-agent with the same tools and an empty context; gives its final answer. Say everything that it must know. Several calls at once run side by side.",
    category: "generic",
    hint: "ask a further sub-agent for the part that is missing",
    effect: { kind: "read" },
    input: z.strictObject({ prompt: z.string().min(1) }),
    run: async ({ prompt }, { runSubAgent }) => {
      const { text, isError, sessionId } = await runSubAgent({ prompt });
      return { text: text === "" ? `The sub-agent ended without a reply (session ${sessionId}).` : text, isError };
    },
  });
}
