import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createDigest, PLIMSOLL_MODEL_POLICY } from "@plimsoll/core";
import { type SimulatedReply, type SimulatedRequest, startSimulator } from "@plimsoll/simulator";
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { expect, onTestFinished, test } from "vitest";
import { createCompactionMiddleware } from "./ai-sdk.ts";

const STEPS = 20;
/** Each in all that its user says and reads, and in nothing else. */
const SECRETS = ["heron-4417", "walrus-8823", "lynx-1506", "gecko-9931"];
const secretsIn = (text: string): readonly string[] => SECRETS.filter((secret) => text.includes(secret));

/** The model reads file after file; it says the number of the one that it read last, and the name of whose it is. */
function nextReply({ newestText }: SimulatedRequest): SimulatedReply {
  const [, step = "0"] = /file (\d+) of/.exec(newestText) ?? [];
  const [secret = "nobody"] = secretsIn(newestText);
  const next = Number(step) + 1;
  if (next > STEPS) return { parts: [{ type: "text", text: `${secret}: all files are read.` }] };
  const argumentsJson = JSON.stringify({ path: `${secret}/${next}.ts` });
  return {
    parts: [
      { type: "text", text: `${secret}, step ${next}.` },
      { type: "tool-call", toolName: "read_file", argumentsJson },
    ],
  };
}

/** Every user's agent on one middleware at the same time; each second one streams. */
async function played(users: readonly string[]) {
  const bodies: unknown[] = [];
  const simulator = await startSimulator({
    replies: nextReply,
    contextWindowTokens: 7_000,
    nowMs: () => 0,
    onRequest: (_, body) => bodies.push(body),
  });
  onTestFinished(() => simulator.close());
  const summaryRequests: string[] = [];
  const digest = createDigest();
  const middleware = createCompactionMiddleware({
    policy: PLIMSOLL_MODEL_POLICY,
    // The provider's window is smaller than the one that is believed in: some requests overflow.
    limits: { contextWindowTokens: 9_000, maxOutputTokens: 500 },
    nowMs: () => 0,
    summarizer: (request, signal) => {
      summaryRequests.push(JSON.stringify(request));
      return digest(request, signal);
    },
  });
  const simulated = createOpenAICompatible({
    name: "simulated",
    apiKey: "key",
    baseURL: simulator.openAiUrl,
    includeUsage: true,
  })("simulated");
  const model = wrapLanguageModel({ model: simulated, middleware });
  const settingsOf = (secret: string) => {
    let read = 0;
    const execute = (): string => {
      read += 1;
      return `file ${read} of ${secret}\n${`export const value = "${secret}";\n`.repeat(100)}`;
    };
    return {
      model,
      prompt: `I am ${secret}. Read all files.`,
      maxOutputTokens: 500,
      maxRetries: 0,
      stopWhen: stepCountIs(STEPS * 2),
      tools: { read_file: tool({ inputSchema: jsonSchema({ type: "object" }), execute }) },
    };
  };
  const generated = async (secret: string) => (await generateText(settingsOf(secret))).text;
  const streamed = (secret: string) => streamText(settingsOf(secret)).text;
  const texts = await Promise.all(users.map((secret, index) => (index % 2 === 0 ? generated : streamed)(secret)));
  const logs = middleware.conversations().map(({ entries }) => JSON.stringify(entries));
  return { texts, bodies, summaryRequests, logs, exchanges: simulator.exchanges() };
}

/** The messages of a request's body that are a user's: system messages hold no person's words. */
function messagesIn(body: unknown): readonly unknown[] {
  return typeof body === "object" && body !== null && "messages" in body && Array.isArray(body.messages) ? body.messages : [];
}

test.each([2, 4])("%i users at once: no request and no summary holds two users' secrets", async (count) => {
  const users = SECRETS.slice(0, count);
  const { texts, bodies, summaryRequests, logs, exchanges } = await played(users);
  expect(texts).toEqual(users.map((secret) => `${secret}: all files are read.`));

  const owners = bodies.map((body) => secretsIn(JSON.stringify(body)));
  expect(owners.filter(({ length }) => length !== 1)).toEqual([]);
  const ofNobody = bodies.flatMap(messagesIn).filter((message) => secretsIn(JSON.stringify(message)).length !== 1);
  expect(ofNobody).toEqual([]);
  expect(summaryRequests.map(secretsIn).filter(({ length }) => length !== 1)).toEqual([]);
  expect(logs.map(secretsIn).map(({ length }) => length)).toEqual(users.map(() => 1));

  // Enough happened to each of them: steps, an overflow, which teaches the limit, and summaries.
  for (const user of users) {
    expect(owners.filter(([owner]) => owner === user).length).toBeGreaterThan(STEPS);
    expect(summaryRequests.filter((text) => text.includes(user)).length).toBeGreaterThan(3);
  }
  const overflows = exchanges.filter(({ outcome }) => outcome === "overflow").length;
  expect(overflows).toBe(count);
  expect(exchanges.filter(({ outcome }) => outcome === "answered")).toHaveLength(count * (STEPS + 1));
  expect(bodies).toHaveLength(count * (STEPS + 1) + overflows);
});
