import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { PlimsollError } from "@plimsoll/core";
import type { McpServer } from "./mcp-server.ts";

/** Where servers are started. */
export interface TransportPlace {
  readonly cwd: string;
  readonly environment: { readonly [name: string]: string | undefined };
}

/** The way to a server; `lastWords` is the last line that its program wrote on its error output, or nothing. */
interface OpenedTransport {
  readonly transport: Transport;
  lastWords(): string;
}

/**
 * The transport that a setting asks for: a program on standard input and output, or an address. The SDK is loaded here and not before: most
 * sessions have no server.
 *
 * @throws PlimsollError `bad-input` for a setting without either, or with both, or with a variable that is not set.
 */
export async function openTransport(server: McpServer, { cwd, environment }: TransportPlace): Promise<OpenedTransport> {
  const { command, url, type } = server;
  const expanded = (values: { readonly [name: string]: string } = {}) =>
    Object.fromEntries(Object.entries(values).map(([name, text]) => [name, expandVariables(text, environment)]));
  if (command !== undefined && url === undefined) {
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const args = (server.args ?? []).map((text) => expandVariables(text, environment));
    const transport = new StdioClientTransport({ command, args, cwd, env: expanded(server.env), stderr: "pipe" });
    let said = "";
    transport.stderr?.on("data", (chunk: unknown) => {
      said = (said + String(chunk)).slice(-KEPT_CHARS);
    });
    return { transport, lastWords: () => said.trim().split("\n").at(-1) ?? "" };
  }
  if (url !== undefined && command === undefined) {
    const address = new URL(expandVariables(url, environment));
    const requestInit = { headers: expanded(server.headers) };
    const nothing = () => "";
    if (type === "sse") {
      const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
      return { transport: new SSEClientTransport(address, { requestInit }), lastWords: nothing };
    }
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    return { transport: new StreamableHTTPClientTransport(address, { requestInit }), lastWords: nothing };
  }
  throw new PlimsollError("bad-input", "give either a command or a url");
}

/** How much of a program's error output is kept for its last line; chosen. */
const KEPT_CHARS = 2_000;

/**
 * A text with `${NAME}` and `${NAME:-fallback}` replaced from the environment, so that no secret is in a file.
 *
 * @throws PlimsollError `bad-input` naming a variable that is not set and has no fallback.
 */
export function expandVariables(text: string, environment: { readonly [name: string]: string | undefined }): string {
  const pieces = text.split("${");
  const [first = "", ...rest] = pieces;
  const expanded = rest.map((piece) => {
    const end = piece.indexOf("}");
    if (end < 0) return `\${${piece}`;
    const inside = piece.slice(0, end);
    const at = inside.indexOf(":-");
    const name = at < 0 ? inside : inside.slice(0, at);
    const value = environment[name] ?? (at < 0 ? undefined : inside.slice(at + 2));
    if (value === undefined) throw new PlimsollError("bad-input", `the environment variable ${name} is not set`, { name });
    return value + piece.slice(end + 1);
  });
  return [first, ...expanded].join("");
}
