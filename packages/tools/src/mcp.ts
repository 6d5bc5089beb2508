import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { OutputCategory, PathAccess } from "@plimsoll/core";
import { type AgentTool, isRecord, option, type ToolOutput, writtenJson } from "@plimsoll/core/extend";

interface McpToolOverride {
  readonly category?: OutputCategory;
  readonly isRerunnable?: boolean;
  readonly hint?: string;
  readonly paths?: (args: unknown) => readonly PathAccess[];
}

/** The tools' name prefix, and their declared category; `generic` without an override. */
interface McpToolOptions {
  /** Put before each name with `_`, so that servers cannot take each other's names; none by default. */
  readonly prefix?: string;
  /** By the server's own name of the tool. */
  readonly overrides?: { readonly [toolName: string]: McpToolOverride };
}

const OPTIONS = option.schema<McpToolOptions>({ prefix: option.text.optional(), overrides: option.object.optional() });

/** Makes an agent's tools from all tools of a connected MCP server. The effect of their calls is `unknown`. */
export async function mcpTools(client: Client, options: McpToolOptions = {}): Promise<readonly AgentTool[]> {
  option.check("an MCP server's tools", option.having("listTools", "callTool"), client);
  option.check("an MCP server's tools", OPTIONS, options);
  const tools: AgentTool[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    for (const { name, description, inputSchema } of page.tools) {
      const override = options.overrides?.[name] ?? {};
      const ownName = options.prefix === undefined ? name : `${options.prefix}_${name}`;
      tools.push({
        spec: { name: ownName, description: description ?? "", parametersJson: JSON.stringify(inputSchema) },
        category: override.category ?? "generic",
        isRerunnable: override.isRerunnable ?? false,
        hint: override.hint ?? null,
        pathsOf: (args) => override.paths?.(args) ?? [],
        // A server may say of a tool that it only reads; that is no proof.
        effectOf: () => ({ kind: "unknown" }),
        run: async (args, { signal }) => {
          const result = await client.callTool({ name, arguments: isRecord(args) ? { ...args } : {} }, undefined, { signal });
          return resultOutput(result);
        },
      });
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

/** A server's result as text: text blocks as they are, the rest named by kind. */
function resultOutput(result: { readonly [key: string]: unknown }): ToolOutput {
  const content = Array.isArray(result.content) ? result.content : [];
  const texts = content.map((block: unknown) => {
    if (!isRecord(block)) return "[unknown content]";
    if (block.type === "text" && typeof block.text === "string") return block.text;
    const resource = isRecord(block.resource) ? block.resource : null;
    if (typeof resource?.text === "string") return resource.text;
    return `[${typeof block.type === "string" ? block.type : "unknown"} content, not shown]`;
  });
  const structured =
    content.length === 0 && result.structuredContent !== undefined ? [writtenJson(result.structuredContent)] : [];
  return { text: [...texts, ...structured].join("\n"), isError: result.isError === true };
}
