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
  const commandTool = defineTool({
    name: "gdb_command",
    description: "Gives one command to gdb, e.g. `file ./a.out`, `break main`, `run`, `bt`. gdb stays open between calls.",
    category: "head-tail",
    hint: "ask for a part, e.g. bt 10",
    // No shell takes a line that begins so: a rule for it allows no other command.
    effect: ({ command }) => ({ kind: "execute", command: `(gdb) ${command}`, folder: "." }),
    input: z.strictObject({ command: z.string().min(1), timeout_seconds: SECONDS }),
    run: async ({ command, timeout_seconds = DEFAULT_SECONDS }, { signal }) => {
      const answer = await gdb().command(command, msOf(timeout_seconds), signal);
      // The next command starts another.
      if (answer.state === "exited") close();
      return gdbOutput(answer);
    },
  });
  const partial = { category: "head-tail", hint: "ask gdb_command for the part, e.g. bt 10" } as const;
  const waitTool = defineTool({
    ...partial,
    name: "gdb_wait_stopped",
    description: "Waits until the program that runs under gdb stops, and says why it did.",
    effect: { kind: "execute", command: "(gdb) wait until it stops", folder: "." },
    input: z.strictObject({ timeout_seconds: SECONDS }),
    run: async ({ timeout_seconds = WAIT_SECONDS }, { signal }) =>
      gdbOutput(await gdb().waitStopped(msOf(timeout_seconds), signal)),
  });
  const interruptTool = defineTool({
    ...partial,
    name: "gdb_interrupt",
    description: "Stops the program that runs under gdb, as Ctrl-C does.",
    effect: { kind: "execute", command: "(gdb) interrupt", folder: "." },
    input: z.strictObject({}),
    run: async (_, { signal }) => gdbOutput(await gdb().interrupt(TIMEOUT_MS, signal)),
  });
  return { tools: [commandTool, interruptTool, waitTool], close };
});

const SECONDS = z.number().positive().max(3600).optional();

/** Time for a command that gives none, and for a wait; chosen: loading symbols of large programs takes that long. */
const DEFAULT_SECONDS = 30;
const WAIT_SECONDS = 60;

/** A program that is interrupted stops at once, or is stuck in the system; chosen. */
const TIMEOUT_MS = 10_000;

const msOf = (seconds: number) => Math.ceil(seconds * 1_000);

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
