import type { AgentTool } from "@plimsoll/core/extend";
import { z } from "zod";
import { checked, defineTool, failure, output, type ToolSetting, WITH_LINTER } from "./define-tool.ts";
import { commandLine, processOutput, runProcess } from "./process/run-process.ts";

/** `read_lints`: runs the configured linter and gives its findings; an error result if none is configured. */
export const readLintsTool: (setting: ToolSetting) => AgentTool = checked(WITH_LINTER, (setting) => {
  const { workspace, env, passEnv, timeoutMs, lintCommand } = setting;
  const namesOf = (paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => workspace.nameOf(await workspace.place(path))));
  return defineTool({
    name: "read_lints",
    description: "Runs the workspace's linter, on the paths given or on everything, and gives what it found.",
    category: "match-list",
    isRerunnable: true,
    hint: "give paths to see the rest",
    input: z.strictObject({ paths: z.array(z.string()).optional() }),
    effect: async ({ paths = [] }) => {
      if (lintCommand === null) return { kind: "read" };
      const words = commandLine(await namesOf(paths));
      return { kind: "execute", command: `${lintCommand} ${words}`.trimEnd(), folder: "." };
    },
    run: async ({ paths = [] }, { signal, artifacts }) => {
      if (lintCommand === null) return failure("No linter is configured for this workspace (key `lint` of plimsoll.yaml).");
      const args = ["-c", `${lintCommand} "$@"`, "lint", ...(await namesOf(paths))];
      const place = { cwd: workspace.root, env, passEnv };
      const result = await runProcess({ command: "sh", args, ...place, timeoutMs, signal, artifacts });
      if (result.end !== "exited") return processOutput(result, timeoutMs);
      // A linter that found something exits with another code than 0: that is no failure of the call.
      return result.text.trim() === "" ? output("No problems.") : { ...processOutput(result, timeoutMs), isError: false };
    },
  });
});
