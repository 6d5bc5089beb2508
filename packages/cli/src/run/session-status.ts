import type { Output } from "../io.ts";
import type { OpenSession } from "./open-session.ts";
import { statusLine } from "./status-line.ts";

/** The status line of a session, as it is when it is asked for, for the width of an output. */
export function createStatus({ agent, spending }: OpenSession, output: Output): () => string {
  return () => statusLine({ context: agent.state().context, ...spending() }, output.columns);
}
