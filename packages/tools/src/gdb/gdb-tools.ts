import type { AgentTool } from "@plimsoll/core/agent";
import type { ToolSetting } from "../tool-setting.ts";
import { gdbCommandTool } from "./gdb-command.ts";
import { gdbInterruptTool } from "./gdb-interrupt.ts";
import type { GdbSession } from "./gdb-session.ts";
import { startGdb } from "./gdb-session.ts";
import { gdbWaitStoppedTool } from "./gdb-wait-stopped.ts";

/** The gdb of a session: started with the first command, ended when the agent is. */
export interface GdbTools {
  readonly tools: readonly AgentTool[];
  close(): void;
}

/** The three tools of one debugger. */
export function createGdbTools({ workspace, env, passEnv }: Pick<ToolSetting, "workspace" | "env" | "passEnv">): GdbTools {
  let session: GdbSession | null = null;
  const gdb = (): GdbSession => {
    session ??= startGdb({ program: "gdb", cwd: workspace.root, env, passEnv });
    return session;
  };
  const close = () => {
    session?.close();
    session = null;
  };
  return { tools: [gdbCommandTool(gdb, close), gdbInterruptTool(gdb), gdbWaitStoppedTool(gdb)], close };
}
