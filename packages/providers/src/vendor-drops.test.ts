import { startAgent } from "@plimsoll/agent";
import { createDigest, createMemoryArtifactStore, PLIMSOLL_POLICY } from "@plimsoll/core";
import { startSimulator } from "@plimsoll/simulator";
import { createMemorySessionStore } from "@plimsoll/stores";
import { expect, onTestFinished, test } from "vitest";
import { fetchBehindProxy } from "../testing/fetch-behind-proxy.ts";
import { fileText, matrixScript, pathIn, READ_TOOL, readFileTool, SYSTEM } from "../testing/matrix-script.ts";
import { proxyInMemory } from "../testing/proxy-in-memory.ts";
import { type AnthropicOptions, createAnthropicClient } from "./anthropic/client.ts";
import { isBoundReasoning } from "./catalog/bound-reasoning.ts";
import { parseRecord, recordsAt } from "./fields.ts";
import { createConversationKeys, type KeyNote } from "./proxy/conversation-keys.ts";
import type { ProxyOptions } from "./proxy/prepared-request.ts";

const MODEL = "claude-fable-5-2";
const LIMITS = { contextWindowTokens: 32_768, maxOutputTokens: 2_000 };
const STEPS = 30;

/** A vendor that refuses thinking that it is not asked to drop; `since` counts from a request on. */
async function bindingVendor() {
  const simulator = await startSimulator({
    replies: matrixScript("bound"),
    contextWindowTokens: LIMITS.contextWindowTokens,
    nowMs: () => 0,
  });
  onTestFinished(() => simulator.close());
  const since = (start: number) => {
    const exchanges = simulator.exchanges().slice(start);
    const refused = exchanges.filter(({ outcome }) => outcome === "rejected").length;
    return { refused, drops: exchanges.flatMap(({ drops }) => drops).length };
  };
  return { url: simulator.url, since, count: () => simulator.exchanges().length };
}

test("an agent keeps the choice of its client with its log, and another takes it back", async () => {
  const { url, since, count } = await bindingVendor();
  const sessions = createMemorySessionStore();
  const play = async (
    session:
      | { readonly kind: "new"; readonly sessionId: string; readonly system: string }
      | { readonly kind: "resume"; readonly sessionId: string },
    options: Pick<AnthropicOptions, "boundReasoning">,
  ) => {
    const agent = await startAgent({
      session,
      sessions,
      artifacts: createMemoryArtifactStore(),
      model: {
        client: createAnthropicClient({ environment: { ANTHROPIC_API_KEY: "key" }, baseUrl: url, ...options }),
        modelId: MODEL,
        limits: LIMITS,
      },
      policy: PLIMSOLL_POLICY,
      summarizer: createDigest(),
      tools: [readFileTool((path) => fileText(path).toWellFormed())],
      nowMs: () => 0,
      isBoundReasoning,
    });
    const start = count();
    while (count() - start < STEPS) {
      const { error } = await agent.submit("Go on.");
      if (error !== null) throw error;
    }
    await agent.close();
    return since(start);
  };
  const dropped = await play({ kind: "new", sessionId: "s", system: SYSTEM }, { boundReasoning: "vendor-drops" });
  expect(dropped.refused).toBe(0);
  expect(dropped.drops).toBeGreaterThan(0);
  expect(await play({ kind: "resume", sessionId: "s" }, {})).toEqual({ refused: 0, drops: 0 });
  const log = JSON.stringify((await sessions.read("s"))?.entries);
  expect(log.match(/"boundReasoning":"[^"]+"/g)).toEqual(['"boundReasoning":"vendor-drops"', '"boundReasoning":"leaves"']);
});

test("a proxy asks for a program that says nothing, keeps the choice with the conversation, and takes it back", async () => {
  const { url, since, count } = await bindingVendor();
  const sessions = createMemorySessionStore();
  const notes: KeyNote[] = [];
  const messages: unknown[] = [{ role: "user", content: "go" }];
  const tools = [{ name: READ_TOOL.name, description: "", input_schema: READ_TOOL.parameters }];
  const play = async (options: Pick<ProxyOptions, "boundReasoning">) => {
    const compaction = proxyInMemory({
      ...{ limits: LIMITS, sessions },
      keys: createConversationKeys(notes, async (note) => void notes.push(note)),
      onProblem: (line) => {
        throw new Error(line);
      },
      ...options,
    });
    const ask = fetchBehindProxy(compaction);
    const start = count();
    const headers = { "x-api-key": "key", "anthropic-version": "2023-06-01" };
    for (let step = 0; step < STEPS; step++) {
      const body = JSON.stringify({ model: MODEL, max_tokens: 2_000, system: SYSTEM, tools, messages });
      const answer = await ask(`${url}/v1/messages`, { method: "POST", headers, body });
      const content = recordsAt(parseRecord(await answer.text()), "content");
      const calls = content.filter(({ type }) => type === "tool_use");
      const textOf = (input: unknown) => fileText(pathIn(input)).toWellFormed();
      const results = calls.map(({ id, input }) => ({ type: "tool_result", tool_use_id: id, content: textOf(input) }));
      messages.push({ role: "assistant", content }, { role: "user", content: results.length > 0 ? results : "go on" });
    }
    await compaction.close();
    return since(start);
  };
  const dropped = await play({ boundReasoning: "vendor-drops" });
  expect(dropped.refused).toBe(0);
  expect(dropped.drops).toBeGreaterThan(0);
  expect(await play({})).toEqual({ refused: 0, drops: 0 });
});
