import { PlimsollError } from "../error.ts";
import { shortHash } from "../hash.ts";
import type { Agent, RunOutcome } from "./agent.ts";
import { type AgentModel, type AgentOptions, DEFAULT_SUB_AGENT_DEPTH } from "./agent-options.ts";
import type { SubAgentReply, SubAgentTask } from "./agent-tool.ts";
import type { AgentListener } from "./events.ts";

/** Where a sub-agent comes from. */
export interface SubAgentOrigin {
  readonly options: AgentOptions;
  readonly model: AgentModel;
  readonly sessionId: string;
  readonly system: string;
  readonly callId: string;
  readonly signal: AbortSignal;
  readonly onEvent: AgentListener;
  readonly start: (options: AgentOptions) => Promise<Agent>;
}

/**
 * Runs a task in a log of its own, whose first entry names the parent and the call. It compacts itself if the policy's `subAgents` is `own`;
 * with `off` a task that outgrows the window fails.
 */
export async function runSubAgent(task: SubAgentTask, origin: SubAgentOrigin): Promise<SubAgentReply> {
  const { options, callId, signal } = origin;
  const depth = options.subAgentDepth ?? DEFAULT_SUB_AGENT_DEPTH;
  if (depth <= 0) throw new PlimsollError("bad-input", "a sub-agent cannot start further sub-agents");
  const sessionId = `${origin.sessionId}.${shortHash(callId).slice(0, 12)}`;
  const { context: _, ...inherited } = options;
  const child = await origin.start({
    ...inherited,
    session: { kind: "new", sessionId, system: origin.system, parent: { sessionId: origin.sessionId, callId } },
    model: origin.model,
    policy: options.policy.subAgents === "own" ? options.policy : { ...options.policy, enabled: false },
    subAgentDepth: depth - 1,
    onEvent: origin.onEvent,
  });
  const cancel = () => child.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    if (signal.aborted) throw new PlimsollError("aborted", "the call was cancelled");
    return { sessionId, ...subAgentReply(await child.submit(task.prompt)) };
  } finally {
    signal.removeEventListener("abort", cancel);
    await child.close();
  }
}

/** Writes the reply for the call that started a sub-agent, when the sub-agent has ended. Words that its output limit cut off are words all the same. */
export function subAgentReply({ reason, text, error }: RunOutcome): Pick<SubAgentReply, "text" | "isError"> {
  const isError = reason !== "done" && reason !== "length";
  return { isError, text: isError ? `The sub-agent ended: ${error?.message ?? reason}. ${text}`.trim() : text };
}
