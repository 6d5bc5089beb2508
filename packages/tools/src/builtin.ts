import { type AgentTool, option } from "@plimsoll/core/extend";
import { z } from "zod";
import { contextAgentTools } from "./context-tools.ts";
import { DEFAULT_TIMEOUT_MS, type ToolSetting } from "./define-tool.ts";
import { editFileTool } from "./edit-file.ts";
import { fsTool } from "./fs.ts";
import { createGdbTools } from "./gdb/gdb-tools.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import type { Environment } from "./process/run-process.ts";
import { readFileTool } from "./read-file.ts";
import { readLintsTool } from "./read-lints.ts";
import { runTerminalCommandTool } from "./run-terminal-command.ts";
import { searchCodebaseTool } from "./search-codebase.ts";
import { shellTool } from "./shell.ts";
import { taskTool } from "./task.ts";
import { createTodoLists, type TodoLists } from "./todo.ts";
import { openWorkspace } from "./workspace/workspace.ts";
import { writeFileTool } from "./write-file.ts";

/** The place and setting of the tools; each option has a default. */
export interface BuiltinToolOptions {
  readonly workspaceFolder: string;
  /** The environment that programs see: all variables but those whose names look like credentials. */
  readonly env: Environment;
  /** Names of such variables that programs see all the same. */
  readonly passEnv?: readonly string[];
  readonly timeoutMs?: number;
  readonly lintCommand?: string | null;
  /** The context tools that the model is offered; only `recall` by default. */
  readonly context?: NonNullable<Parameters<typeof contextAgentTools>[0]["offer"]>;
}

const OPTIONS = option.schema<BuiltinToolOptions>({
  workspaceFolder: option.text,
  env: option.object,
  passEnv: z.array(option.text).readonly().optional(),
  timeoutMs: option.count.optional(),
  lintCommand: option.text.nullable().optional(),
  context: option.kind(Array.isArray, "a list").optional(),
});

/** The built-in tools with the processes that they keep running. */
export interface BuiltinTools extends Pick<TodoLists, "stateOf" | "resume"> {
  readonly tools: readonly AgentTool[];
  /** Ends programs that run on between calls: gdb. */
  close(): void;
}

/** All built-in tools, working in one folder. Rejects if the folder does not exist. */
export async function createBuiltinTools(options: BuiltinToolOptions): Promise<BuiltinTools> {
  option.check("the tools", OPTIONS, options);
  const { env, passEnv, timeoutMs = DEFAULT_TIMEOUT_MS, lintCommand = null, context = ["recall"] } = options;
  const workspace = await openWorkspace(options.workspaceFolder);
  const setting: ToolSetting = { workspace, env, passEnv, timeoutMs, lintCommand };
  const gdb = createGdbTools(setting);
  const todo = createTodoLists();
  return {
    tools: [
      ...TOOLS.map((toolIn) => toolIn(setting)),
      ...gdb.tools,
      ...contextAgentTools({ offer: context }),
      todo.tool,
      taskTool(),
    ],
    stateOf: todo.stateOf,
    resume: todo.resume,
    close: gdb.close,
  };
}

/** The tools that work in the folder. A further one is a file and a line here; a tool of your own goes into an agent's options with them. */
const TOOLS: readonly ((setting: ToolSetting) => AgentTool)[] = [
  readFileTool,
  editFileTool,
  writeFileTool,
  fsTool,
  globTool,
  grepTool,
  searchCodebaseTool,
  readLintsTool,
  shellTool,
  runTerminalCommandTool,
];
