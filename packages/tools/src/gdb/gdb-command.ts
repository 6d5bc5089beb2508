import type { AgentTool } from "@plimsoll/core/agent";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { gdbOutput } from "./gdb-output.ts";
import type { GdbSession } from "./gdb-session.ts";

/** Time for a command that gives none; chosen: loading symbols of large programs takes that long. */
const DEFAULT_SECONDS = 30;
const MS_PER_SECOND = 1_000;

/** `gdb_command`: one line for gdb's command line. `onGone` is called when gdb has ended, so that the next command starts another. */
export function gdbCommandTool(gdb: () => GdbSession, onGone: () => void): AgentTool {
  return defineTool({
    name: "gdb_command",
    description: "Gives one command to gdb, e.g. `file ./a.out`, `break main`, `run`, `bt`. gdb stays open between calls.",
    category: "head-tail",
    hint: "ask for a part, e.g. bt 10",
    // No shell takes a line that begins so: what is allowed here allows no other command.
    effect: ({ command }) => ({ kind: "execute", command: `(gdb) ${command}`, folder: "." }),
    input: z.strictObject({ command: z.string().min(1), timeout_seconds: z.number().positive().max(3600).optional() }),
    run: async ({ command, timeout_seconds = DEFAULT_SECONDS }, { signal }) => {
      const answer = await gdb().command(command, timeout_seconds * MS_PER_SECOND, signal);
      if (answer.state === "exited") onGone();
      return gdbOutput(answer);
    },
  });
}
