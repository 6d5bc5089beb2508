export type { Agent, AgentModel, AgentOptions, Authorization, Authorize, PendingCall, RunOutcome } from "./agent.ts";
export type { AgentEvent, ContextUsage } from "./events.ts";
export { startAgent } from "./start-agent.ts";
