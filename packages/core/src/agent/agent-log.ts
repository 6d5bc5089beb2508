import type { Conversation } from "../conversation/conversation.ts";
import type { SetupChange } from "../conversation/setup-change.ts";
import { setupChange, setupChangeEntry } from "../conversation/setup-change.ts";
import type { SessionStartEntry } from "../entry.ts";
import { LOG_VERSION, loggedLimits } from "../entry.ts";
import { shortHash } from "../hash.ts";
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

/** A log that an agent was started over. */
export interface StartedLog {
  readonly conversation: Conversation;
  readonly options: AgentOptions;
}

/** Records the system text and tools in force, and where bound reasoning goes, as the model's client says. Answers with what that changed; `null` for nothing. */
export async function settleSetup({ conversation, options }: StartedLog): Promise<SetupChange | null> {
  const view = conversation.manager.view();
  const asked = options.session.kind === "resume" ? options.session.system : undefined;
  const tools = options.tools.map(({ spec }) => spec);
  const { boundReasoning = "leaves" } = options.model.client;
  const to = { system: asked ?? view.system, tools, boundReasoning };
  const change = setupChange(view, to);
  if (change !== null || view.boundReasoning !== to.boundReasoning)
    await conversation.append(setupChangeEntry(view, to, options.nowMs()));
  return change;
}

/** Names the model in a log that does not know one. False if the log goes on with another model, or with other limits. */
export async function settleModel({ conversation, options }: StartedLog): Promise<boolean> {
  const { modelId, limits } = options.model;
  const known = conversation.manager.view();
  if (known.modelId === null) {
    const id = shortHash(`model-change\n${modelId}\n${known.lastEntryId ?? ""}`);
    await conversation.append({ type: "model-change", id, modelId, limits: loggedLimits(limits), atMs: options.nowMs() });
    return true;
  }
  const isSameWindow =
    known.limits?.contextWindowTokens === limits.contextWindowTokens && known.limits.maxOutputTokens === limits.maxOutputTokens;
  return known.modelId === modelId && isSameWindow;
}
