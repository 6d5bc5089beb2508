import type { Output } from "../io.ts";
import type { OpenSession } from "./open-session.ts";
import { createSpending } from "./spending.ts";
import { statusLine } from "./status-line.ts";

/** The status line of a session, as it is when it is asked for, for the width of an output. */
export function createStatus({ agent, pricesOf, policy }: OpenSession, output: Output): () => string {
  const { request } = policy.summary;
  const spending = createSpending(pricesOf, typeof request === "string" ? null : request.cheaper.modelId);
  return () => statusLine({ context: agent.state().context, ...spending(agent.entries()) }, output.columns);
}
