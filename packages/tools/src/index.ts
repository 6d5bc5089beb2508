// Making tools

export { createRedactor } from "@plimsoll/core";
export { createBuiltinTools } from "./builtin.ts";
// Tools
export { contextAgentTools } from "./context-tools.ts";
export { defineTool, failure, output } from "./define-tool.ts";
export { editFileTool } from "./edit-file.ts";
export { fsTool } from "./fs.ts";
export { createGdbTools } from "./gdb/gdb-tools.ts";
export { globTool } from "./glob.ts";
export { grepTool } from "./grep.ts";
// Programs
export { toolEnvironment } from "./process/run-process.ts";
export { readFileTool } from "./read-file.ts";
export { readLintsTool } from "./read-lints.ts";
export { redactedTools } from "./redact-secrets.ts";
export { runTerminalCommandTool } from "./run-terminal-command.ts";
export { searchCodebaseTool } from "./search-codebase.ts";
export { shellTool } from "./shell.ts";
export { taskTool } from "./task.ts";
export { createTodoLists } from "./todo.ts";
export type { Workspace } from "./workspace/workspace.ts";
export { openWorkspace } from "./workspace/workspace.ts";
export { writeFileTool } from "./write-file.ts";
