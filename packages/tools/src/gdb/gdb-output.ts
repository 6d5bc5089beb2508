import type { ToolOutput } from "@plimsoll/core/agent";
import type { GdbAnswer } from "./gdb-session.ts";

const SAID: { readonly [State in GdbAnswer["state"]]: string } = {
  done: "",
  error: "",
  running: "[the program runs; gdb_wait_stopped waits for it, gdb_interrupt stops it]",
  stopped: "",
  "timed-out": "[no answer in time; gdb_wait_stopped waits on, gdb_interrupt stops the program]",
  exited: "[gdb has ended]",
};

/** What gdb answered, as a tool's output. */
export function gdbOutput({ state, text }: GdbAnswer): ToolOutput {
  const lines = [text.trimEnd(), SAID[state]].filter((line) => line !== "");
  return { text: lines.join("\n"), isError: state === "error" || state === "exited" };
}
