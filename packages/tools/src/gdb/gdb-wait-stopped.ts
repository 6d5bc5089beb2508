import type { AgentTool } from "@plimsoll/core/agent";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { gdbOutput } from "./gdb-output.ts";
import type { GdbSession } from "./gdb-session.ts";

const DEFAULT_SECONDS = 60;
const MS_PER_SECOND = 1_000;

/** `gdb_wait_stopped`: waits until the program stops at a breakpoint, by a signal, or at its end. */
export function gdbWaitStoppedTool(gdb: () => GdbSession): AgentTool {
  return defineTool({
    name: "gdb_wait_stopped",
    description: "Waits until the program that runs under gdb stops, and says why it did.",
    category: "head-tail",
    hint: "ask gdb_command for the part, e.g. bt 10",
    effect: { kind: "execute", command: "(gdb) wait until it stops", folder: "." },
    input: z.strictObject({ timeout_seconds: z.number().positive().max(3600).optional() }),
    run: async ({ timeout_seconds = DEFAULT_SECONDS }, { signal }) =>
      gdbOutput(await gdb().waitStopped(timeout_seconds * MS_PER_SECOND, signal)),
  });
}
