import type { AgentTool, ToolOutput } from "@plimsoll/core/extend";
import { z } from "zod";
import { checked, defineTool, WITH_PROGRAMS } from "../define-tool.ts";
import { type GdbAnswer, type GdbSession, type GdbSetting, startGdb } from "./gdb-session.ts";

/** The gdb of a session: started with the first command, ended when the agent is. */
export interface GdbTools {
  readonly tools: readonly AgentTool[];
  close(): void;
}

/** Makes `gdb_command`, `gdb_interrupt` and `gdb_wait_stopped`, which share one gdb. The first command starts it, `close` ends it. */
export const createGdbTools: (setting: GdbSetting) => GdbTools = checked(WITH_PROGRAMS, (setting) => {
  let session: GdbSession | null = null;
  const gdb = (): GdbSession => {
    session ??= startGdb(setting);
    return session;
  };
  const close = () => {
    session?.close();
    session = null;
  };
  return { tools: [gdbCommandTool(gdb, close), gdbInterruptTool(gdb), gdbWaitStoppedTool(gdb)], close };
});

/** Time for a command that gives none; chosen: loading symbols of large programs takes that long. */
const DEFAULT_SECONDS = 30;
const MS_PER_SECOND = 1_000;

/** `gdb_command`: one line for gdb's command line. `onGone` is called when gdb has ended, so that the next command starts another. */
function gdbCommandTool(gdb: () => GdbSession, onGone: () => void): AgentTool {
  return defineTool({
    name: "gdb_command",
    description: "Gives one command to gdb, e.g. `file ./a.out`, `break main`, `run`, `bt`. gdb stays open between calls.",
    category: "head-tail",
    hint: "ask for a part, e.g. bt 10",
    // No shell takes a line that begins so: a rule for it allows no other command.
    effect: ({ command }) => ({ kind: "execute", command: `(gdb) ${command}`, folder: "." }),
    input: z.strictObject({ command: z.string().min(1), timeout_seconds: z.number().positive().max(3600).optional() }),
    run: async ({ command, timeout_seconds = DEFAULT_SECONDS }, { signal }) => {
      const answer = await gdb().command(command, timeout_seconds * MS_PER_SECOND, signal);
      if (answer.state === "exited") onGone();
      return gdbOutput(answer);
    },
  });
}

/** Time to wait for a stop if a call gives none; chosen. */
const WAIT_SECONDS = 60;

/** `gdb_wait_stopped`: waits until the program stops at a breakpoint, by a signal, or at its end. */
function gdbWaitStoppedTool(gdb: () => GdbSession): AgentTool {
  return defineTool({
    name: "gdb_wait_stopped",
    description: "Waits until the program that runs under gdb stops, and says why it did.",
    category: "head-tail",
    hint: "ask gdb_command for the part, e.g. bt 10",
    effect: { kind: "execute", command: "(gdb) wait until it stops", folder: "." },
    input: z.strictObject({ timeout_seconds: z.number().positive().max(3600).optional() }),
    run: async ({ timeout_seconds = WAIT_SECONDS }, { signal }) =>
      gdbOutput(await gdb().waitStopped(timeout_seconds * MS_PER_SECOND, signal)),
  });
}

/** A program that is interrupted stops at once, or is stuck in the system; chosen. */
const TIMEOUT_MS = 10_000;

/** `gdb_interrupt`: stops the program that runs under gdb. */
function gdbInterruptTool(gdb: () => GdbSession): AgentTool {
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

const SAID: { readonly [State in GdbAnswer["state"]]: string } = {
  done: "",
  error: "",
  running: "[the program runs; gdb_wait_stopped waits for it, gdb_interrupt stops it]",
  stopped: "",
  "timed-out": "[no answer in time; gdb_wait_stopped waits on, gdb_interrupt stops the program]",
  exited: "[gdb has ended]",
};

function gdbOutput({ state, text }: GdbAnswer): ToolOutput {
  const lines = [text.trimEnd(), SAID[state]].filter((line) => line !== "");
  return { text: lines.join("\n"), isError: state === "error" || state === "exited" };
}
