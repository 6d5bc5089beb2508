// The loop

export type { SetupChange } from "../conversation/setup-change.ts";
export type { UsageTotals } from "../conversation/tally.ts";
export { foldTotals, NO_USAGE } from "../conversation/tally.ts";
export type {
  EntryListener,
  OpenedSession,
  SessionBranch,
  SessionStore,
  SessionSummary,
  SessionWriter,
  StoredSession,
} from "../ports.ts";
export type { Agent, AgentState, CompactRequest, RunOutcome, UserInput } from "./agent.ts";
export type { AgentModel, AgentOptions, AgentSession } from "./agent-options.ts";
export { DEFAULT_MAX_STEPS, DEFAULT_MODE } from "./agent-options.ts";
// Tools
export type {
  AgentTool,
  Authorization,
  Authorize,
  PendingCall,
  SubAgentReply,
  SubAgentTask,
  ToolCallContext,
  ToolEffect,
  ToolOutput,
} from "./agent-tool.ts";
// What it tells
export type { ContextUsage } from "./context-usage.ts";
export { contextUsage } from "./context-usage.ts";
export type { AgentEvent, AgentListener, EndReason } from "./events.ts";
// Logs
export { createMemorySessionStore } from "./memory-session-store.ts";
export { startAgent } from "./start-agent.ts";
