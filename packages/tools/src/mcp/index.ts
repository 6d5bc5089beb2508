export type { McpToolOptions, McpToolOverride } from "./mcp-tools.ts";
export { mcpTools } from "./mcp-tools.ts";
