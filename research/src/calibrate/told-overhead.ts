import type { Transcript } from "@plimsoll/bench";

/** Agents that send no tool schemas: their commands are text of the reply. */
const WITHOUT_TOOLS: ReadonlySet<string> = new Set(["mini-swe-agent", "swe-agent"]);

/** True for a log that holds all that is sent beside its messages: the system text, and the tools if the agent has any. */
export function tellsOverhead({ entries: [start], format }: Transcript): boolean {
  if (start?.type !== "session" || start.system === "") return false;
  return start.tools.length > 0 || WITHOUT_TOOLS.has(format);
}
