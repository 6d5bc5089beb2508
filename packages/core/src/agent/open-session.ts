import type { SessionStartEntry } from "../entry.ts";
import { LOG_VERSION } from "../entry.ts";
import type { OpenedSession } from "../ports.ts";
import type { AgentOptions } from "./agent-options.ts";

/** The log that the options name, open for writing; a new one holds its first entry. */
export async function openSession(options: AgentOptions): Promise<OpenedSession> {
  const { session, sessions, tools } = options;
  if (session.kind === "resume") return await sessions.open(session.sessionId);
  const start: SessionStartEntry = {
    type: "session",
    version: LOG_VERSION,
    id: session.sessionId,
    createdMs: options.nowMs(),
    system: session.system,
    tools: tools.map(({ spec }) => spec),
    parent: session.parent ?? null,
    agent: session.agent ?? null,
  };
  return { writer: await sessions.create(start), entries: [start], cutOff: null };
}
