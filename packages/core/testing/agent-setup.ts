import type { Agent, AgentOptions } from "../src/agent/agent.ts";
import type { AgentTool } from "../src/agent/agent-tool.ts";
import type { AgentEvent } from "../src/agent/events.ts";
import { createMemorySessionStore } from "../src/agent/memory-session-store.ts";
import { startAgent } from "../src/agent/start-agent.ts";
import { PLIMSOLL_POLICY } from "../src/policy/presets/plimsoll.ts";
import type { SessionStore } from "../src/ports.ts";
import { createMemoryArtifactStore } from "../src/session/recall.ts";
import { createDigest } from "../src/summarizer/digest.ts";
import { type ScriptedCall, type ScriptedModel, type ScriptedReply, scriptedModel } from "../src/testing/scripted-model.ts";

/** Limits of the model that tests talk to. */
export const AGENT_LIMITS = { contextWindowTokens: 8000, maxOutputTokens: 1000 } as const;

/** A tool for tests. */
export function agentTool(name: string, run: AgentTool["run"], more: Partial<AgentTool> = {}): AgentTool {
  return {
    spec: { name, description: name, parametersJson: '{"type":"object"}' },
    category: "generic",
    isRerunnable: true,
    hint: null,
    pathsOf: () => [],
    effectOf: () => ({ kind: "read" }),
    run,
    ...more,
  };
}

/** A tool that answers with its arguments. */
export const ECHO_TOOL: AgentTool = agentTool("echo", async (args) => ({ text: JSON.stringify(args), isError: false }), {
  pathsOf: () => [{ path: "echo.txt", access: "read" }],
});

/** A reply that calls `echo`, once for each id. */
export function echoCalls(...callIds: string[]): { readonly calls: readonly ScriptedCall[] } {
  return { calls: callIds.map((callId) => ({ callId, toolName: "echo", argumentsJson: `{"id":"${callId}"}` })) };
}

/** The parts that an agent is tested with: a scripted model, stores in memory, and everything that it told. */
export interface AgentSetup {
  readonly options: AgentOptions;
  readonly model: ScriptedModel;
  readonly events: readonly AgentEvent[];
  readonly sessions: SessionStore;
  start(): Promise<Agent>;
}

/** An agent whose model answers by a script; whatever else it is made of may be given. */
export function agentSetup(
  answers: readonly ScriptedReply[] | ((index: number) => ScriptedReply),
  more: Partial<Omit<AgentOptions, "model">> = {},
): AgentSetup {
  const model = scriptedModel((_, index) =>
    typeof answers === "function" ? answers(index) : (answers[index] ?? { text: "nothing left to say" }),
  );
  const events: AgentEvent[] = [];
  const sessions = more.sessions ?? createMemorySessionStore();
  const options: AgentOptions = {
    session: { kind: "new", sessionId: "main", system: "be brief" },
    model: { client: model.client, modelId: "test/model", limits: AGENT_LIMITS },
    policy: PLIMSOLL_POLICY,
    summarizer: createDigest(),
    tools: [ECHO_TOOL],
    artifacts: createMemoryArtifactStore(),
    nowMs: () => 1,
    onEvent: (event) => events.push(event),
    ...more,
    sessions,
  };
  return { options, model, events, sessions, start: () => startAgent(options) };
}
