import type { AgentTool } from "@plimsoll/core/agent";
import { z } from "zod";
import { defineTool, failure, output } from "./define-tool.ts";
import { processOutput } from "./process/process-output.ts";
import { runProcess } from "./process/run-process.ts";
import type { ToolSetting } from "./tool-setting.ts";

/** `read_lints`: what the workspace's linter says. */
export function readLintsTool({ workspace, env, timeoutMs, lintCommand }: ToolSetting): AgentTool {
  return defineTool({
    name: "read_lints",
    description: "Runs the workspace's linter, on the paths given or on everything, and gives what it found.",
    category: "match-list",
    isRerunnable: true,
    hint: "give paths to see the rest",
    input: z.strictObject({ paths: z.array(z.string()).optional() }),
    run: async ({ paths = [] }, { signal, artifacts }) => {
      if (lintCommand === null) return failure("No linter is configured for this workspace (key `lint` of plimsoll.yaml).");
      const names: string[] = [];
      for (const path of paths) names.push(workspace.nameOf(await workspace.place(path)));
      const args = ["-c", `${lintCommand} "$@"`, "lint", ...names];
      const result = await runProcess({ command: "sh", args, cwd: workspace.root, env, timeoutMs, signal, artifacts });
      if (result.end !== "exited") return processOutput(result, timeoutMs);
      // A linter that found something exits with another code than 0: that is no failure of the call.
      return result.text.trim() === "" ? output("No problems.") : { ...processOutput(result, timeoutMs), isError: false };
    },
  });
}
