import { z } from "zod";
import { type CommandTool, checked, DEFAULT_TIMEOUT_MS, defineTool, MAXIMUM_TIMEOUT_MS, WITH_PROGRAMS } from "./define-tool.ts";
import { processOutput, runProcess } from "./process/run-process.ts";

const MS_PER_SECOND = 1_000;
const MAXIMUM_SECONDS = MAXIMUM_TIMEOUT_MS / MS_PER_SECOND;

/** `run_terminal_command`: runs a command line in `sh`. */
export const runTerminalCommandTool: CommandTool = checked(WITH_PROGRAMS, (setting) => {
  const { workspace, env, passEnv, timeoutMs = DEFAULT_TIMEOUT_MS } = setting;
  return defineTool({
    name: "run_terminal_command",
    description:
      "Runs a command line in sh, in the workspace. Gives its output and its exit code. It gets no input; background processes end with it.",
    category: "head-tail",
    hint: "run it again with its output filtered (head, tail, grep) to see the rest",
    input: z.strictObject({
      command: z.string().min(1),
      cwd: z.string().optional().describe("folder to run it in; default: the workspace"),
      timeout_seconds: z.number().positive().max(MAXIMUM_SECONDS).optional(),
    }),
    effect: async ({ command, cwd = "." }) => {
      return { kind: "execute", command, folder: workspace.nameOf(await workspace.place(cwd)) };
    },
    run: async (input, { signal, artifacts }) => {
      const cwd = await workspace.place(input.cwd ?? ".");
      const limitMs = input.timeout_seconds === undefined ? timeoutMs : input.timeout_seconds * MS_PER_SECOND;
      const args = ["-c", input.command];
      const limits = { timeoutMs: limitMs, signal };
      return processOutput(await runProcess({ command: "sh", args, cwd, env, passEnv, artifacts, ...limits }), limitMs);
    },
  });
});
