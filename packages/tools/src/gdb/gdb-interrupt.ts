import type { AgentTool } from "@plimsoll/core/agent";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { gdbOutput } from "./gdb-output.ts";
import type { GdbSession } from "./gdb-session.ts";

/** A program that is interrupted stops at once, or is stuck in the system; chosen. */
const TIMEOUT_MS = 10_000;

/** `gdb_interrupt`: stops the program that runs under gdb. */
export function gdbInterruptTool(gdb: () => GdbSession): AgentTool {
  return defineTool({
    name: "gdb_interrupt",
    description: "Stops the program that runs under gdb, as Ctrl-C does.",
    category: "head-tail",
    hint: "ask gdb_command for the part, e.g. bt 10",
    effect: { kind: "execute", command: "(gdb) interrupt", folder: "." },
    input: z.strictObject({}),
    run: async (_, { signal }) => gdbOutput(await gdb().interrupt(TIMEOUT_MS, signal)),
  });
}
