import { inspect, isDeepStrictEqual } from "node:util";
import { type AgentEvent, startAgent } from "@plimsoll/agent";
import { createDigest, createMemoryArtifactStore, decodeLog, encodeLog, type ModelClient, type Policy } from "@plimsoll/core";
import type { AgentTool } from "@plimsoll/core/extend";
import type { SimulatedReply, SimulatedRequest } from "@plimsoll/simulator";
import { createMemorySessionStore } from "@plimsoll/stores";

/** An agent's run against a provider that fails. */
export interface FaultyRun {
  /** Events that report the failure, in order. */
  readonly told: readonly string[];
  readonly ending: string;
  readonly code: string | null;
  readonly class: string | null;
  readonly reason: string | null;
  /** Whether the log is whole: it reads back as it was, and every reply in it has its usage. */
  readonly isLogWhole: boolean;
  /** Everything that a program, a person or a file received, as text, but for the session log itself. */
  readonly shown: string;
  readonly log: string;
}

/** Options of a run of an agent. */
export interface FaultyRunOptions {
  readonly client: ModelClient;
  readonly policy: Policy;
  readonly task: string;
  readonly contextWindowTokens: number;
}

/** Replies before the fault begins: enough for a log with something in it. */
export const REPLIES_BEFORE_FAULT = 3;

/** Calls a tool until the fault begins, goes on for a few replies, and ends. */
export function scriptWithCalls({ replyIndex }: SimulatedRequest): SimulatedReply {
  if (replyIndex > REPLIES_BEFORE_FAULT + 12) return { parts: [{ type: "text", text: "All of it is done." }] };
  const argumentsJson = JSON.stringify({ part: replyIndex });
  return {
    parts: [
      { type: "reasoning", text: `Part ${replyIndex} comes next.` },
      { type: "text", text: `Reading part ${replyIndex}.` },
      { type: "tool-call", toolName: "read_part", argumentsJson },
    ],
  };
}

/** A tool that reads. */
export const readingTool = (name: string, run: AgentTool["run"]): AgentTool => ({
  spec: { name, description: "Reads.", parametersJson: '{"type":"object"}' },
  category: "generic",
  isRerunnable: true,
  hint: null,
  pathsOf: () => [],
  effectOf: () => ({ kind: "read" }),
  run,
});

const READ_PART = readingTool("read_part", async (args) => ({
  text: `${JSON.stringify(args)} ${"the part says this and that. ".repeat(60)}`,
  isError: false,
}));

const TELLING = ["request-retry", "overflow-detected", "silent-truncation", "compaction-end", "compaction-failed"] as const;

/** Runs the agent to its end, in any outcome. */
export async function runWithFaults(options: FaultyRunOptions): Promise<FaultyRun> {
  const events: AgentEvent[] = [];
  const agent = await startAgent({
    session: { kind: "new", sessionId: "faulty", system: "You read parts." },
    sessions: createMemorySessionStore(),
    artifacts: createMemoryArtifactStore(),
    model: {
      client: options.client,
      modelId: "simulated",
      limits: { contextWindowTokens: options.contextWindowTokens, maxOutputTokens: 512 },
    },
    policy: options.policy,
    summarizer: createDigest(),
    tools: [READ_PART],
    nowMs: () => 0,
    onEvent: (event) => events.push(event),
  });
  const outcome = await agent.submit(options.task);
  const entries = await agent.entries();
  const state = agent.state();
  await agent.close();
  const log = encodeLog(entries);
  const reported = new Set(entries.flatMap((entry) => (entry.type === "usage" ? [entry.requestId] : [])));
  const replies = entries.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "assistant" ? [entry.message.requestId ?? ""] : [],
  );
  const details = outcome.error?.details;
  const facts = events.filter(({ type }) => type !== "message" && type !== "tool-start" && type !== "tool-end");
  return {
    told: events.flatMap(({ type }) => TELLING.find((each) => each === type) ?? []),
    ending: outcome.reason,
    code: outcome.error?.code ?? null,
    class: typeof details?.class === "string" ? details.class : null,
    reason: typeof details?.reason === "string" ? details.reason : null,
    isLogWhole: isDeepStrictEqual(decodeLog(log, "log").entries, entries) && replies.every((id) => reported.has(id)),
    shown: [inspect(outcome, { depth: 12 }), inspect(facts, { depth: 12 }), JSON.stringify(state)].join("\n"),
    log,
  };
}
