import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { createDigest, PLIMSOLL_POLICY, type SessionStore } from "@plimsoll/core";
import type { AgentTool } from "@plimsoll/core/extend";
import { scriptedModel } from "@plimsoll/core/testing";
import { createFileArtifactStore } from "@plimsoll/stores";
import type { Agent } from "../src/agent.ts";
import { startAgent } from "../src/start-agent.ts";
import { agentTool } from "./agent-setup.ts";

/** The stores of an endless agent. */
export interface EndlessPlace {
  readonly folder: string;
  readonly sessionId: string;
  readonly sessions: SessionStore;
}

/** So small that a run compacts every few steps. */
const LIMITS = { contextWindowTokens: 8_000, maxOutputTokens: 1_000 } as const;

/** Characters of the largest output: a write of several pages can be torn by a kill. */
const LARGEST_OUTPUT_CHARS = 12_000;
const PRIME = 24_499;

const WORDS = "ünder the line, above the line, ";

/** Outputs of all sizes up to the largest, in turn; the part over the policy's cap goes to the artifact store. */
function outputTool(): AgentTool {
  let runs = process.pid;
  return agentTool("look", async () => {
    runs += 1;
    const text = WORDS.repeat(LARGEST_OUTPUT_CHARS / WORDS.length).slice(0, (runs * PRIME) % LARGEST_OUTPUT_CHARS);
    return { text, isError: false };
  });
}

/** Goes on with a session by a model that calls a tool for ever, or so many times. */
export async function endlessAgent(
  { folder, sessionId, sessions }: EndlessPlace,
  calls: number = Number.POSITIVE_INFINITY,
): Promise<Agent> {
  const call = () => ({ callId: randomUUID(), toolName: "look", argumentsJson: "{}" });
  const { client } = scriptedModel((_, index) => (index < calls ? { text: "I look.", calls: [call()] } : { text: "Done." }));
  return await startAgent({
    session: { kind: "resume", sessionId },
    sessions,
    artifacts: createFileArtifactStore(join(folder, "artifacts")),
    model: { modelId: "test/model", limits: LIMITS, client },
    policy: PLIMSOLL_POLICY,
    summarizer: createDigest(),
    tools: [outputTool()],
    nowMs: () => 1,
    maxSteps: Number.MAX_SAFE_INTEGER,
  });
}
