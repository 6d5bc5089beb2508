// The loop

export type { SetupChange } from "../conversation/setup-change.ts";
export type {
  EntryListener,
  OpenedSession,
  SessionBranch,
  SessionStore,
  SessionSummary,
  SessionWriter,
  StoredSession,
} from "../ports.ts";
export type { Agent, RunOutcome } from "./agent.ts";
export type { AgentModel, AgentOptions } from "./agent-options.ts";
// Tools
export type {
  AgentTool,
  Authorization,
  Authorize,
  PendingCall,
  ToolCallContext,
  ToolEffect,
  ToolOutput,
} from "./agent-tool.ts";
// What it tells
export type { ContextUsage } from "./context-usage.ts";
export type { AgentEvent } from "./events.ts";
// Logs
export { createMemorySessionStore } from "./memory-session-store.ts";
export { startAgent } from "./start-agent.ts";
