import type { SessionStartEntry } from "../entry.ts";
import { LOG_VERSION } from "../entry.ts";
import type { AgentOptions } from "./agent-options.ts";

/** The log that the options name: the first entry of a new one, or the id of one to go on with. */
export function sessionOf(options: AgentOptions): SessionStartEntry | { readonly sessionId: string } {
  const { session, tools } = options;
  if (session.kind === "resume") return { sessionId: session.sessionId };
  return {
    type: "session",
    version: LOG_VERSION,
    id: session.sessionId,
    createdMs: options.nowMs(),
    system: session.system,
    tools: tools.map(({ spec }) => spec),
    parent: session.parent ?? null,
    agent: session.agent ?? null,
  };
}
