import type { AgentTool } from "@plimsoll/core/agent";
import { z } from "zod";
import { defineTool } from "./define-tool.ts";
import { processOutput } from "./process/process-output.ts";
import { runProcess } from "./process/run-process.ts";
import { MAXIMUM_TIMEOUT_MS, type ToolSetting } from "./tool-setting.ts";

/** `shell`: runs one program with its arguments, without a shell in between. */
export function shellTool({ workspace, env, timeoutMs }: ToolSetting): AgentTool {
  return defineTool({
    name: "shell",
    description: 'Runs a program with arguments, e.g. ["git", "status"]. For pipes and redirections use ["sh", "-c", "..."].',
    category: "head-tail",
    hint: "run it again with its output filtered (head, tail, grep) to see the rest",
    input: z.strictObject({
      command: z.array(z.string()).min(1).describe("program and arguments"),
      workdir: z.string().optional().describe("folder to run it in; default: the workspace"),
      timeout_ms: z.int().positive().max(MAXIMUM_TIMEOUT_MS).optional(),
    }),
    run: async (input, { signal, artifacts }) => {
      const [command = "", ...args] = input.command;
      const cwd = await workspace.place(input.workdir ?? ".");
      const limitMs = input.timeout_ms ?? timeoutMs;
      return processOutput(await runProcess({ command, args, cwd, env, timeoutMs: limitMs, signal, artifacts }), limitMs);
    },
  });
}
