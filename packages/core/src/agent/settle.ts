import { shortHash } from "../hash.ts";
import type { ContextManager } from "../session/context-manager.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { SessionLog } from "./session-log.ts";
import type { SetupChange } from "./setup-change.ts";
import { setupChange, setupChangeEntry } from "./setup-change.ts";

/** A log that an agent was started over. */
export interface StartedLog {
  readonly manager: ContextManager;
  readonly log: SessionLog;
  readonly options: AgentOptions;
}

/**
 * Lets the system text that was asked for and the tools that can be run hold from here on. Answers with what that changed; `null` for nothing.
 */
export async function settleSetup({ manager, log, options }: StartedLog): Promise<SetupChange | null> {
  const view = manager.view();
  const asked = options.session.kind === "resume" ? options.session.system : undefined;
  const to = { system: asked ?? view.system, tools: options.tools.map(({ spec }) => spec) };
  const change = setupChange(view, to);
  if (change !== null) await log.append(setupChangeEntry(view, to, options.nowMs()));
  return change;
}

/** Names the model in a log that does not know one. False where the log goes on with another model, or with other limits. */
export async function settleModel({ manager, log, options }: StartedLog): Promise<boolean> {
  const { modelId, limits } = options.model;
  const known = manager.view();
  if (known.modelId === null) {
    const id = shortHash(`model-change\n${modelId}\n${known.lastEntryId ?? ""}`);
    await log.append({ type: "model-change", id, modelId, limits, atMs: options.nowMs() });
    return true;
  }
  const isSameWindow =
    known.limits?.contextWindowTokens === limits.contextWindowTokens && known.limits.maxOutputTokens === limits.maxOutputTokens;
  return known.modelId === modelId && isSameWindow;
}
