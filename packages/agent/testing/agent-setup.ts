import { createDigest, createMemoryArtifactStore, PLIMSOLL_POLICY, type SessionStore, type ToolCallPart } from "@plimsoll/core";
import type { AgentTool } from "@plimsoll/core/extend";
import { type ScriptedReply, scriptedModel } from "@plimsoll/core/testing";
import { createMemorySessionStore } from "@plimsoll/stores";
import type { Agent, AgentOptions } from "../src/agent.ts";
import type { AgentEvent } from "../src/events.ts";
import { startAgent } from "../src/start-agent.ts";

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
export function echoCalls(...callIds: string[]): {
  readonly calls: readonly Pick<ToolCallPart, "callId" | "toolName" | "argumentsJson">[];
} {
  return { calls: callIds.map((callId) => ({ callId, toolName: "echo", argumentsJson: `{"id":"${callId}"}` })) };
}

/** The parts that an agent is tested with: a scripted model, stores in memory, and all its events. */
export interface AgentSetup {
  readonly options: AgentOptions;
  readonly model: ReturnType<typeof scriptedModel>;
  readonly events: readonly AgentEvent[];
  readonly sessions: SessionStore;
  start(): Promise<Agent>;
}

/** An agent whose model answers by a script; all its other parts may be given. */
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
