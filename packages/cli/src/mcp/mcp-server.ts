import { OUTPUT_CATEGORIES } from "@plimsoll/core/extend";
import { z } from "zod";

/** A declaration of one tool of an MCP server, in addition to the server's own. */
const toolSchema = z.strictObject({
  category: z.enum(OUTPUT_CATEGORIES).optional(),
  rerunnable: z.boolean().optional(),
  hint: z.string().min(1).optional(),
});

const serverSchema = z.strictObject({
  type: z.enum(["stdio", "http", "streamable-http", "sse"]).optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).readonly().optional(),
  env: z.record(z.string(), z.string()).optional(),
  url: z.url().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  disabled: z.boolean().optional(),
  /** By the server's own name of the tool. */
  tools: z.record(z.string(), toolSchema).optional(),
});

/** An MCP server as a person writes it, under the keys that other agents use: a program to start, or an address. */
export type McpServer = z.infer<typeof serverSchema>;

/** Names of servers are put before the names of their tools, which wires bound to 64 of these characters. */
const SERVER_NAME = /^[A-Za-z0-9_-]{1,32}$/;

/** The schema of `mcpServers`. That either a program or an address is there is checked where the server is started. */
export const mcpServersSchema = z.record(
  z.string().regex(SERVER_NAME, "a server's name has at most 32 letters, digits, - and _"),
  serverSchema,
);
