import { createDigest, PLIMSOLL_MODEL_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { agentSetup, agentTool } from "../testing/agent-setup.ts";
import type { AgentOptions } from "./agent.ts";
import { startAgent } from "./start-agent.ts";

const KEY = "sk-planted-0123456789abcdef";
const redact: NonNullable<AgentOptions["redact"]> = (text) => text.replace(/sk-\S+/g, "[key]");

const calling = (toolName: string, callId: string) => ({
  calls: [{ callId, toolName, argumentsJson: JSON.stringify({ key: KEY, id: callId }) }],
});

test("a planted key is in no request, no summary's request, no log, no artifact and no event; a call runs as the model wrote it", async () => {
  const ran: unknown[] = [];
  const stored: string[] = [];
  const asked: unknown[] = [];
  const tell = agentTool("tell", async (args) => {
    ran.push(args);
    return { text: `KEY=${KEY}\n`.repeat(ran.length === 1 ? 9_000 : 60), isError: false, hint: `see ${KEY}` };
  });
  const steps = Array.from({ length: 12 }, (_, index) => calling("tell", `c${index}`));
  const setup = agentSetup([...steps, { text: `Done with ${KEY}.` }, { text: "Again." }], {
    session: { kind: "new", sessionId: "main", system: `Use ${KEY}.` },
    policy: { ...PLIMSOLL_MODEL_POLICY, truncation: { capTokens: 16_000 } },
    tools: [{ ...tell, spec: { ...tell.spec, description: `Knows ${KEY}.` } }],
    dynamicContext: () => `Now with ${KEY}.`,
    artifacts: { put: async (text) => `h${stored.push(text)}`, get: async () => null },
    summarizer: async (request, signal) => {
      asked.push(request);
      return await createDigest()(request, signal);
    },
    redact,
  });
  const agent = await setup.start();
  expect(await agent.submit(`My key is ${KEY}.`)).toMatchObject({ reason: "done", text: `Done with ${KEY}.` });
  await agent.compact({ keep: { messages: 1 }, focus: KEY });
  await agent.replaceHistoryAndSubmit(
    [{ role: "user", origin: "human", parts: [{ type: "text", text: `It was ${KEY}.` }], atMs: null }],
    "Go on.",
  );
  await agent.close();
  expect(ran[0]).toEqual({ key: KEY, id: "c0" });
  expect(ran).toHaveLength(12);
  expect(stored.length).toBeGreaterThan(0);
  expect(asked.length).toBeGreaterThan(0);
  const log = await setup.sessions.read("main");
  // The pieces of a reply are told as they come.
  const events = setup.events.filter(({ type }) => type !== "text-delta");
  const all = JSON.stringify([setup.model.requests(), stored, asked, log, events]);
  expect(all).toContain("[key]");
  expect(all).not.toContain("sk-planted");

  const resumed = await startAgent({ ...setup.options, session: { kind: "resume", sessionId: "main" } });
  expect(resumed.setupChange).toBeNull();
  await resumed.close();
});

const failing = () => {
  throw new Error("no");
};

test.each<[string, (text: string) => string]>([
  ["throws", (text) => (text.includes("boom") ? failing() : text)],
  ["changes what it redacted", (text) => (text.includes("boom") ? `${text}!` : text)],
])("a redactor that %s stops the agent with a typed error, wherever the text comes from", async (_, broken) => {
  const boom = agentTool("boom", async () => ({ text: "boom", isError: false }));
  const typed = { code: "bad-input", message: expect.stringContaining("the redactor") };
  const system = agentSetup([], { session: { kind: "new", sessionId: "main", system: "boom" }, redact: broken });
  await expect(system.start()).rejects.toMatchObject(typed);
  const words = await agentSetup([], { redact: broken }).start();
  expect(await words.submit("boom").catch((error: unknown) => ({ error }))).toMatchObject({ error: typed });
  const results = agentSetup([calling("boom", "c")], {
    tools: [{ ...boom, spec: { ...boom.spec, description: "" } }],
    redact: broken,
  });
  const agent = await results.start();
  expect(await agent.submit("go").catch((error: unknown) => ({ error }))).toMatchObject({ error: typed });
  expect(results.model.requests()).toHaveLength(1);
});
