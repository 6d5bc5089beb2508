import type { AgentTool, Authorization, PendingCall } from "@plimsoll/core/agent";
import { mcpTools } from "@plimsoll/tools/mcp";
import type { SetServer } from "../config/settings.ts";
import { plimsollVersion } from "../io.ts";
import { suggestion } from "../option/nearest-name.ts";
import { startCall } from "../permission/allow-rule.ts";
import { printable, shortened } from "../terminal/printable.ts";
import { openTransport, type TransportPlace } from "./open-transport.ts";

/** The tools of all servers that answered, and a line for a person about each server. */
export interface ConnectedServers {
  readonly tools: readonly AgentTool[];
  readonly lines: readonly string[];
  /** Ends the programs that were started. */
  close(): Promise<void>;
}

/** Servers by name, each with where it was set. */
export type McpServers = ReadonlyMap<string, SetServer>;

/** Where servers are started, and who decides about those that a project's file names. */
export interface ServerPlace extends TransportPlace {
  readonly authorize: (call: PendingCall) => Promise<Authorization>;
}

/** How long a server may take until it has told its tools; chosen: one that `npx` has to fetch first takes some ten seconds. */
const CONNECT_TIMEOUT_MS = 30_000;

/** Names that every wire takes for a tool. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Asks about the servers that a project's file names, one after the other, then starts at once those that may be. One that fails or was refused
 * is a line, and the session goes on without it.
 */
export async function connectServers(servers: McpServers, place: ServerPlace): Promise<ConnectedServers> {
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

async function connectServer(name: string, { value, source }: SetServer, place: TransportPlace): Promise<ConnectedServers> {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const client = new Client({ name: "plimsoll", version: plimsollVersion() });
  const close = () => client.close().catch(() => undefined);
  let lastWords = () => "";
  try {
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
          .map(({ spec }) => `mcp ${name}: ${shortened(spec.name, LINE_CHARS)} is no name that models take; left out`),
      ],
    };
  } catch (error) {
    await close();
    const why = [reasonOf(error), lastWords()].filter((words) => words !== "");
    const line = shortened(why.join("; "), LINE_CHARS);
    return withoutTools(`mcp ${name}: cannot be used: ${line}; the session goes on without it (${source})`);
  }
}

/** Longest reason that a line gives; chosen. */
const LINE_CHARS = 160;

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ENOENT" && "path" in error) return `there is no program ${String(error.path)}`;
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
