import type { OutputCategory } from "@plimsoll/core";
import { OUTPUT_CATEGORIES } from "@plimsoll/core/extend";
import { z } from "zod";

/** A declaration of one tool of an MCP server, in addition to the server's own. */
interface McpToolSetting {
  readonly category?: OutputCategory | undefined;
  readonly rerunnable?: boolean | undefined;
  readonly hint?: string | undefined;
}

/** An MCP server as a person writes it, under the keys that other agents use: a program to start, or an address. */
export interface McpServer {
  readonly type?: "stdio" | "http" | "streamable-http" | "sse" | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: { readonly [name: string]: string } | undefined;
  readonly url?: string | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
  readonly disabled?: boolean | undefined;
  /** By the server's own name of the tool. */
  readonly tools?: { readonly [toolName: string]: McpToolSetting } | undefined;
}

const toolSchema: z.ZodType<McpToolSetting> = z.strictObject({
  category: z.enum(OUTPUT_CATEGORIES).optional(),
  rerunnable: z.boolean().optional(),
  hint: z.string().min(1).optional(),
});

/** Names of servers are put before the names of their tools, which wires bound to 64 of these characters. */
const SERVER_NAME = /^[A-Za-z0-9_-]{1,32}$/;

/** The schema of `mcpServers`. That either a program or an address is there is checked where the server is started. */
export const mcpServersSchema: z.ZodType<{ readonly [name: string]: McpServer }> = z.record(
  z.string().regex(SERVER_NAME, "a server's name has at most 32 letters, digits, - and _"),
  z.strictObject({
    type: z.enum(["stdio", "http", "streamable-http", "sse"]).optional(),
    command: z.string().min(1).optional(),
    args: z.array(z.string()).readonly().optional(),
    env: z.record(z.string(), z.string()).optional(),
    url: z.url().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    disabled: z.boolean().optional(),
    tools: z.record(z.string(), toolSchema).optional(),
  }),
);
