import {
  createMemoryArtifactStore,
  KLAUDE_CODE_POLICY,
  NONE_POLICY,
  PI_POLICY,
  PlimsollError,
  type Policy,
  piPolicy,
  type Summarizer,
  usageOf,
} from "@plimsoll/core";
import { type ScriptedReply, scriptedModel } from "@plimsoll/core/testing";
import { createMemorySessionStore } from "@plimsoll/stores";
import { describe, expect, test } from "vitest";
import { agentTool } from "../testing/agent-setup.ts";
import type { AgentOptions } from "./agent.ts";
import type { AgentEvent } from "./events.ts";
import { isSilentOverflow } from "./run-phases.ts";
import { startAgent } from "./start-agent.ts";

const OVERFLOW = { error: new PlimsollError("context-overflow", "prompt is too long") } as const;
const LOOK = { text: "looking", calls: [{ callId: "c", toolName: "look", argumentsJson: "{}" }] } as const;
const BIG = "word ".repeat(4000);

/** An agent with one tool over the policy, with its events and requests. */
async function agentWith(policy: Policy, answers: readonly ScriptedReply[], summarizer?: Summarizer) {
  const model = scriptedModel((_, index) => answers[index] ?? { text: "ok" });
  const events: AgentEvent[] = [];
  let summaries = 0;
  const options: AgentOptions = {
    session: { kind: "new", sessionId: "main", system: "" },
    sessions: createMemorySessionStore(),
    model: { client: model.client, modelId: "test/model", limits: { contextWindowTokens: 40_000, maxOutputTokens: null } },
    policy,
    summarizer: (request, signal) => {
      summaries += 1;
      return summarizer?.(request, signal) ?? Promise.resolve({ text: "They worked.", usage: null, stopReason: "end" });
    },
    tools: [agentTool("look", async () => ({ text: BIG, isError: false }))],
    artifacts: createMemoryArtifactStore(),
    nowMs: () => 1,
    onEvent: (event) => events.push(event),
  };
  const agent = await startAgent(options);
  const count = (type: AgentEvent["type"]) => events.filter((event) => event.type === type).length;
  return { agent, events, count, requests: () => model.requests().length, summaries: () => summaries };
}

const fails: Summarizer = () => Promise.reject(new Error("stream error"));
const SMALL_TAIL = piPolicy({ reserve_tokens: 10_000, keep_recent_tokens: 4000 });

describe("rows about the loop", () => {
  // The original stops after its one compaction. The engine's fallback goes on without a model, down to the parts that cannot be cut.
  test("P-22: an overflow is compacted by the policy once; one that nothing helps is explained and ends the run", async () => {
    const run = await agentWith(SMALL_TAIL, [{ text: "ok" }, { text: "ok" }, OVERFLOW, OVERFLOW, OVERFLOW, OVERFLOW]);
    await run.agent.submit(BIG);
    await run.agent.submit(BIG);
    const outcome = await run.agent.submit("and now?");
    expect(outcome).toMatchObject({ reason: "failed", error: { code: "context-overflow", message: "prompt is too long" } });
    expect([run.count("compaction-end"), run.count("overflow-detected"), run.requests()]).toEqual([3, 4, 6]);
  });

  test("a recovered overflow is asked again at once, and is no retry", async () => {
    const run = await agentWith(SMALL_TAIL, [{ text: "ok" }, { text: "ok" }, OVERFLOW, { text: "here" }]);
    await run.agent.submit(BIG);
    await run.agent.submit(BIG);
    expect(await run.agent.submit("and now?")).toMatchObject({ reason: "done", text: "here" });
    expect([run.count("compaction-end"), run.count("request-retry")]).toEqual([1, 0]);
  });

  test("P-25: after a compaction at a threshold the run goes on once", async () => {
    const run = await agentWith(SMALL_TAIL, [{ text: "ok" }, { ...LOOK, promptTokens: 35_000 }, { text: "seen" }]);
    await run.agent.submit(BIG);
    expect(await run.agent.submit("look")).toMatchObject({ reason: "done", text: "seen", steps: 2 });
    expect([run.count("compaction-end"), run.requests()]).toEqual([1, 3]);
  });

  test("K-f1: a summary that fails is asked for once; both steps run", async () => {
    const answers = [{ text: "ok" }, { text: "ok" }, { ...LOOK, promptTokens: 38_000 }, { text: "seen" }];
    const run = await agentWith(KLAUDE_CODE_POLICY, answers, fails);
    await run.agent.submit(BIG + BIG);
    await run.agent.submit(BIG + BIG);
    expect(await run.agent.submit("look")).toMatchObject({ reason: "done", steps: 2 });
    expect(run.summaries()).toBe(1);
  });

  test("K-f3: an overflow that compaction cannot mend ends the run with one error", async () => {
    const run = await agentWith(PI_POLICY, [OVERFLOW], fails);
    expect(await run.agent.submit(BIG)).toMatchObject({ reason: "failed", error: { code: "context-overflow" } });
    expect([run.requests(), run.count("agent-end")]).toEqual([1, 1]);
  });

  test("O-s4: with compaction off an overflow is an error, the agent idle, and nothing is sent again", async () => {
    const run = await agentWith(NONE_POLICY, [OVERFLOW]);
    expect(await run.agent.submit("go")).toMatchObject({ reason: "failed", error: { code: "context-overflow" } });
    expect([run.agent.state().status, run.requests()]).toEqual(["idle", 1]);
  });
});

test.each([
  ["O-u1: as large as the window", 128_000, false],
  ["O-u1: larger", 128_001, true],
])("%s", (_, totalInputTokens, expected) => {
  expect(isSilentOverflow(usageOf({ totalInputTokens }), 128_000)).toBe(expected);
});
