// Making tools

export { createRedactor } from "@plimsoll/core";
export { createBuiltinTools } from "./builtin.ts";
// Tools
export {
  createGdbTools,
  editFileTool,
  fsTool,
  globTool,
  grepTool,
  readFileTool,
  readLintsTool,
  runTerminalCommandTool,
  searchCodebaseTool,
  shellTool,
  writeFileTool,
} from "./checked-tools.ts";
export { contextAgentTools } from "./context-tools.ts";
export { defineTool, failure, output } from "./define-tool.ts";
// Programs
export { toolEnvironment } from "./process/run-process.ts";
export { redactedTools } from "./redact-secrets.ts";
export { taskTool } from "./task.ts";
export { createTodoLists } from "./todo.ts";
export type { Workspace } from "./workspace/workspace.ts";
export { openWorkspace } from "./workspace/workspace.ts";
