import { createServer } from "node:http";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type AgentEvent, startAgent } from "../packages/agent/src/index.ts";
import { type RecordedTelemetry, recordedTelemetry } from "../packages/agent/testing/recorded-telemetry.ts";
import { type AgentTool, isRecord } from "../packages/core/src/extend.ts";
import { PLIMSOLL_MODEL_POLICY } from "../packages/core/src/index.ts";
import { createAnthropicClient } from "../packages/providers/src/anthropic/index.ts";
import { type SimulatedReply, type SimulatedRequest, type Simulator, startSimulator } from "../packages/simulator/src/index.ts";
import { READABLE_DATABASES, type ReadableDatabase } from "../packages/stores/testing/database-contents.ts";
import { createRedactor, redactedTools, toolEnvironment } from "../packages/tools/src/index.ts";

const KEY = "planted-8d1f0c6e2b7a4959";
/** A word of the person, the model and the tool: in every store, and in no telemetry. */
const SAID = "said-by-everybody";
/** A program of the person's that prints its environment and the key's own file, at length. */
const TELLS: AgentTool = {
  spec: { name: "tell", description: "tells", parametersJson: '{"type":"object"}' },
  category: "command",
  isRerunnable: true,
  hint: null,
  pathsOf: () => [],
  effectOf: () => ({ kind: "read" }),
  run: async () => {
    const environment = JSON.stringify(toolEnvironment({ ...process.env }));
    return { text: `${environment}\n${`${SAID} ${process.env.ANTHROPIC_API_KEY}\n`.repeat(2_000)}`, isError: false };
  },
};

function replyTo({ newestText }: SimulatedRequest): SimulatedReply {
  if (newestText !== `look ${SAID}`) return { parts: [{ type: "text", text: `I have looked, ${SAID}.` }] };
  return { parts: [{ type: "tool-call", toolName: "tell", argumentsJson: JSON.stringify({ what: SAID }) }] };
}

let simulator: Simulator;
let recorded: RecordedTelemetry;
let events: AgentEvent[] = [];
beforeEach(async () => {
  simulator = await startSimulator({ contextWindowTokens: 16_000, key: KEY, replies: replyTo });
  recorded = recordedTelemetry();
  events = [];
  vi.stubEnv("ANTHROPIC_API_KEY", KEY);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await simulator.close();
});

/** Runs a session of some turns and a compaction that a model writes, at a provider's address. */
async function play({ store }: ReadableDatabase, baseUrl: string): Promise<string> {
  const agent = await startAgent({
    session: { kind: "new", sessionId: "one", system: `be brief ${SAID}` },
    sessions: store.sessions,
    artifacts: store.artifacts,
    model: {
      client: createAnthropicClient({ baseUrl, environment: process.env }),
      modelId: "claude-simulated",
      limits: { contextWindowTokens: 16_000, maxOutputTokens: 2_000 },
    },
    policy: PLIMSOLL_MODEL_POLICY,
    tools: redactedTools([TELLS], createRedactor([{ name: "ANTHROPIC_API_KEY", value: KEY }])),
    nowMs: Date.now,
    onEvent: (event) => {
      events.push(event);
      recorded.telemetry.onAgentEvent(event);
    },
  });
  const ends: string[] = [];
  for (let turn = 0; turn < 3; turn++) ends.push((await agent.submit(`look ${SAID}`)).reason);
  const compacted = await agent.compact({ keep: { messages: 1 }, focus: SAID }).then(
    ({ kind }) => kind,
    () => "failed",
  );
  await agent.close();
  return [...ends, compacted].join(" ");
}

/** A provider that refuses every request and names the key that it was sent in its header. */
async function startTalkative() {
  const server = createServer(({ headers }, response) => {
    const sent = Object.values(headers).find((value) => String(value).includes(KEY));
    response.writeHead(400, { "content-type": "application/json" });
    const error = { type: "invalid_request_error", message: `no good: ${String(sent)}` };
    response.end(JSON.stringify({ type: "error", error }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const address: unknown = server.address();
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${isRecord(address) ? String(address.port) : ""}`, close };
}

describe.each(READABLE_DATABASES)("a key given by the environment and sent in a header is not in $name", ({ isHere, open }) => {
  test.skipIf(!isHere)("after turns, cut output and a summary, nor in spans and metrics", async () => {
    const database = await open();
    try {
      // The simulator accepts no other key: it was sent.
      expect(await play(database, simulator.url)).toBe("done done done compacted");
      const contents = await database.contents();
      expect(contents).toContain(SAID);
      expect(contents).toContain("[ANTHROPIC_API_KEY]");
      expect(contents).not.toContain(KEY);
      expect(inspect(events, { depth: 12, maxStringLength: null })).not.toContain(KEY);
      const told = await recorded.told();
      expect(told).toContain("compact_context");
      expect(told).not.toContain(KEY);
      expect(told).not.toContain(SAID);
    } finally {
      await database.close();
    }
  });

  test.skipIf(!isHere)("after a provider named it in its refusal", async () => {
    const database = await open();
    const talkative = await startTalkative();
    try {
      expect(await play(database, talkative.url)).toContain("failed failed failed");
      expect(await database.contents()).toContain(SAID);
      expect(await database.contents()).not.toContain(KEY);
      expect(inspect(events, { depth: 12, maxStringLength: null })).not.toContain(KEY);
      const told = await recorded.told();
      expect(told).toContain("error.type");
      expect(told).not.toContain(KEY);
      expect(told).not.toContain("no good");
    } finally {
      talkative.close();
      await database.close();
    }
  });
});
