import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Authorization, PendingCall } from "@plimsoll/agent";
import { printable, shortened } from "@plimsoll/bench/terminal";
import { PlimsollError } from "@plimsoll/core";
import type { AgentTool } from "@plimsoll/core/extend";
import { suggestion } from "@plimsoll/core/extend";
import { toolEnvironment } from "@plimsoll/tools";
import { mcpTools } from "@plimsoll/tools/mcp";
import { PERSONS_FILE } from "../config/project-may.ts";
import type { SetServer } from "../config/settings.ts";
import { plimsollVersion } from "../io.ts";
import { startCall } from "../permission/allow-rule.ts";
import type { McpServer } from "./mcp-server.ts";

/** The tools of all servers that answered, and a line for a person about each server. */
interface ConnectedServers {
  readonly tools: readonly AgentTool[];
  readonly lines: readonly string[];
  close(): Promise<void>;
}

/** The place where servers are started, and the function that decides about those of a project's file. */
interface ServerPlace extends TransportPlace {
  readonly authorize: (call: PendingCall) => Promise<Authorization>;
}

/** How long a server may take to list its tools; chosen: one that `npx` has to fetch first takes some ten seconds. */
const CONNECT_TIMEOUT_MS = 30_000;

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Asks about the servers that a project's file names, one after the other, then starts at once those that may be. One that fails or was refused
 * is a line, and the session goes on without it.
 */
export async function connectServers(servers: ReadonlyMap<string, SetServer>, place: ServerPlace): Promise<ConnectedServers> {
  const wanted = [...servers].filter(([, { value }]) => value.disabled !== true);
  const starts: (() => Promise<ConnectedServers>)[] = [];
  for (const [name, server] of wanted) {
    const decision = server.owner === "person" ? ALLOWED : await place.authorize(startCall(name, server));
    starts.push(async () =>
      decision.kind === "allow"
        ? await connectServer(name, server, place)
        : withoutTools(`mcp ${name}: not started: ${printable(decision.why)} (${server.source})`),
    );
  }
  const connected = await Promise.all(starts.map((start) => start()));
  return {
    tools: connected.flatMap(({ tools }) => tools),
    lines: connected.flatMap(({ lines }) => lines),
    close: async () => void (await Promise.all(connected.map(({ close }) => close()))),
  };
}

const ALLOWED: Authorization = { kind: "allow" };

function withoutTools(line: string): ConnectedServers {
  return { tools: [], lines: [line], close: async () => undefined };
}

async function connectServer(
  name: string,
  { value, source, owner }: SetServer,
  place: TransportPlace,
): Promise<ConnectedServers> {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const client = new Client({ name: "plimsoll", version: plimsollVersion() });
  const close = () => client.close().catch(() => undefined);
  let lastWords = () => "";
  try {
    if (owner === "project") refuseCredentials(value);
    const opened = await openTransport(value, place);
    ({ lastWords } = opened);
    const options = { timeout: CONNECT_TIMEOUT_MS };
    await client.connect(opened.transport, options);
    const overrides = Object.entries(value.tools ?? {}).map(([tool, { category, rerunnable, hint }]) => [
      tool,
      {
        ...(category === undefined ? {} : { category }),
        ...(rerunnable === undefined ? {} : { isRerunnable: rerunnable }),
        ...(hint === undefined ? {} : { hint }),
      },
    ]);
    const found = await mcpTools(client, { prefix: name, overrides: Object.fromEntries(overrides) });
    const tools = found.filter(({ spec }) => TOOL_NAME.test(spec.name));
    const known = found.map(({ spec }) => spec.name.slice(name.length + 1));
    return {
      tools,
      close,
      lines: [
        `mcp ${name}: ${tools.length === 1 ? "1 tool" : `${tools.length} tools`} (${source})`,
        ...Object.keys(value.tools ?? {})
          .filter((tool) => !known.includes(tool))
          .map((tool) => `mcp ${name}: it has no tool ${printable(tool)}: ${printable(suggestion(tool, known))} (${source})`),
        ...found
          .filter((tool) => !tools.includes(tool))
          .map(({ spec }) => `mcp ${name}: ${shortened(spec.name, LINE_CHARS)} is not a name that models accept; left out`),
      ],
    };
  } catch (error) {
    await close();
    const why = [reasonOf(error), lastWords()].filter((words) => words !== "");
    const line = shortened(why.join("; "), LINE_CHARS);
    return withoutTools(`mcp ${name}: cannot be used: ${line}; the session continues without it (${source})`);
  }
}

const LINE_CHARS = 160;

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ENOENT" && "path" in error) return `there is no program ${String(error.path)}`;
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

interface TransportPlace {
  readonly cwd: string;
  readonly environment: { readonly [name: string]: string | undefined };
}

/**
 * The transport that a setting asks for: a program on standard input and output, or an address. The SDK is loaded here and not before: most
 * sessions have no server.
 *
 * @throws PlimsollError `bad-input` for a setting without either, or with both, or with a variable that is not set.
 */
async function openTransport(
  server: McpServer,
  { cwd, environment }: TransportPlace,
): Promise<{ readonly transport: Transport; lastWords(): string }> {
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

const NAMED_VARIABLE = /\$\{([^}]*)/g;

/**
 * A project's file may come from someone else: even with the person's consent, no credential is filled into its values.
 *
 * @throws PlimsollError `bad-input` naming a variable that looks like one.
 */
function refuseCredentials(server: McpServer): void {
  const names = [...JSON.stringify(server).matchAll(NAMED_VARIABLE)].map(([, inside = ""]) => inside.split(":-")[0] ?? "");
  const credential = names.find((name) => !Object.hasOwn(toolEnvironment({ [name]: "" }), name));
  if (credential === undefined) return;
  throw new PlimsollError(
    "bad-input",
    `it asks for ${credential}, which looks like a credential: a project's file is given none; name the server in ${PERSONS_FILE}`,
    { name: credential },
  );
}

/** How much of a program's error output is kept for its last line; chosen. */
const KEPT_CHARS = 2_000;

/**
 * A text with `${NAME}` and `${NAME:-fallback}` replaced from the environment, so that no secret is in a file.
 *
 * @throws PlimsollError `bad-input` naming a variable that is not set and has no fallback.
 */
export function expandVariables(text: string, environment: { readonly [name: string]: string | undefined }): string {
  return text.replace(/\$\{((?:(?!\$\{)[^}])*)\}/g, (_, inside: string) => {
    const [name = "", ...fallback] = inside.split(":-");
    const value = environment[name] ?? (fallback.length === 0 ? undefined : fallback.join(":-"));
    if (value === undefined) throw new PlimsollError("bad-input", `the environment variable ${name} is not set`, { name });
    return value;
  });
}
