import { z } from "zod";
import { type CommandTool, checked, DEFAULT_TIMEOUT_MS, defineTool, MAXIMUM_TIMEOUT_MS, WITH_PROGRAMS } from "./define-tool.ts";
import { commandLine, processOutput, runProcess } from "./process/run-process.ts";

/** `shell`: runs one program with its arguments, without a shell in between. */
export const shellTool: CommandTool = checked(WITH_PROGRAMS, ({ workspace, env, passEnv, timeoutMs = DEFAULT_TIMEOUT_MS }) =>
  defineTool({
    name: "shell",
    description: 'Runs a program with arguments, e.g. ["git", "status"]. For pipes and redirections use ["sh", "-c", "..."].',
    category: "head-tail",
    hint: "run it again with its output filtered (head, tail, grep) to see the rest",
    input: z.strictObject({
      command: z.array(z.string()).min(1).describe("program and arguments"),
      workdir: z.string().optional().describe("folder to run it in; default: the workspace"),
      timeout_ms: z.int().positive().max(MAXIMUM_TIMEOUT_MS).optional(),
    }),
    effect: async ({ command, workdir = "." }) => {
      return { kind: "execute", command: commandLine(command), folder: workspace.nameOf(await workspace.place(workdir)) };
    },
    run: async (input, { signal, artifacts }) => {
      const [command = "", ...args] = input.command;
      const cwd = await workspace.place(input.workdir ?? ".");
      const limitMs = input.timeout_ms ?? timeoutMs;
      const limits = { timeoutMs: limitMs, signal };
      return processOutput(await runProcess({ command, args, cwd, env, passEnv, artifacts, ...limits }), limitMs);
    },
  }),
);
