import type { AgentTool, Authorization, PendingCall } from "@plimsoll/core/agent";
import { KEY_VARIABLES } from "@plimsoll/providers/clients";
import { createBuiltinTools, createRedactor, redactedTools } from "@plimsoll/tools";
import type { EffectiveConfig } from "../config/settings.ts";
import { connectServers } from "../mcp/connect-servers.ts";
import { parseRule } from "../permission/allow-rule.ts";
import { type AskPerson, createPermissions, type Permissions } from "../permission/permissions.ts";
import { printable } from "../terminal/printable.ts";
import type { SessionOptions } from "./session-options.ts";

/** The tools of a session, and what they may do. */
export interface SessionTools extends Pick<Awaited<ReturnType<typeof createBuiltinTools>>, "resume" | "stateOf"> {
  /** The built-in ones and the servers'; no result holds a key that this program knows. */
  readonly tools: readonly AgentTool[];
  readonly permissions: Permissions;
  /** A line for a person about each server. */
  readonly serverLines: readonly string[];
  close(): Promise<void>;
}

/** Where tools work, and who is asked about them. */
export interface ToolPlace {
  readonly cwd: string;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly config: EffectiveConfig;
  readonly ask: AskPerson | undefined;
  /** Ends the questions about servers. */
  readonly signal: AbortSignal | undefined;
}

const CANCELLED: Authorization = { kind: "deny", why: "cancelled" };
const NEVER_ABORTED = new AbortController().signal;
const MS_PER_SECOND = 1_000;

/** Opens the built-in tools, then the servers that may be started. */
export async function openTools(options: SessionOptions, place: ToolPlace): Promise<SessionTools> {
  const { cwd, environment, config, ask, signal = NEVER_ABORTED } = place;
  const redactor = createRedactor(KEY_VARIABLES.map((name) => ({ name, value: environment[name] ?? "" })));
  const permissions = createPermissions((options.allow ?? []).map(parseRule), options.readOnly === true ? "read-only" : "ask");
  if (ask !== undefined) permissions.askThrough(ask);
  const builtin = await createBuiltinTools({ workspaceFolder: cwd, env: environment, ...toolSettings(config) });
  const authorize = (call: PendingCall) => permissions.authorize(call, signal).catch((): Authorization => CANCELLED);
  const servers = await connectServers(config.mcpServers, { cwd, environment, authorize });
  const { tools, lines } = distinctTools(builtin.tools, servers.tools);
  return {
    tools: redactedTools(tools, redactor),
    permissions,
    serverLines: [...servers.lines, ...lines].map(redactor.text),
    resume: builtin.resume,
    stateOf: builtin.stateOf,
    close: async () => {
      builtin.close();
      await servers.close();
    },
  };
}

/** The tools, each name once: an agent refuses two of one name, and a server may not keep a session from opening. A line for each that is left out. */
export function distinctTools(
  builtin: readonly AgentTool[],
  added: readonly AgentTool[],
): { readonly tools: readonly AgentTool[]; readonly lines: readonly string[] } {
  const names = new Set(builtin.map(({ spec }) => spec.name));
  const tools = [...builtin];
  const lines: string[] = [];
  for (const tool of added) {
    const { name } = tool.spec;
    if (names.has(name)) lines.push(`mcp: there is a tool ${printable(name)} already; the server's is left out`);
    else tools.push(tool);
    names.add(name);
  }
  return { tools, lines };
}

function toolSettings({ settings: { timeout_seconds, lint, hand_off, pass_env } }: EffectiveConfig): {
  readonly timeoutMs?: number;
  readonly passEnv?: readonly string[];
  readonly lintCommand: string | null;
  readonly handOff: "offered" | "absent";
} {
  return {
    lintCommand: lint?.value ?? null,
    handOff: hand_off?.value === true ? "offered" : "absent",
    ...(pass_env === undefined ? {} : { passEnv: pass_env.value.split(/[\s,]+/) }),
    ...(timeout_seconds === undefined ? {} : { timeoutMs: timeout_seconds.value * MS_PER_SECOND }),
  };
}
