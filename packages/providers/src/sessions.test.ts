import type { Context, ModelClient } from "@plimsoll/core";
import { checkMessages, decodeLog, encodeLog, NONE_POLICY, PRESETS } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { createAnthropicClient, encodeAnthropic } from "./anthropic/index.ts";
import { MODEL_CATALOG } from "./catalog/catalog.ts";
import { createOpenAiChatClient, encodeOpenAiChat, OPENAI_QUIRKS } from "./openai-chat/index.ts";
import { createOpenAiResponsesClient, encodeOpenAiResponses } from "./openai-responses/index.ts";
import { ANTHROPIC_WIRE } from "./simulator/anthropic-wire.ts";
import type { Simulator } from "./simulator/index.ts";
import { startSimulator } from "./simulator/index.ts";
import { OPENAI_CHAT_WIRE } from "./simulator/openai-chat-wire.ts";
import { OPENAI_RESPONSES_WIRE } from "./simulator/openai-responses-wire.ts";
import type { SimulatedWire } from "./simulator/wire.ts";
import { playLongSession, scriptedReply } from "./testing/long-session.ts";
import { predictedCacheUse } from "./testing/predicted-reads.ts";

const environment = { ANTHROPIC_API_KEY: "key-1", OPENAI_API_KEY: "key-1" };
const images = new Map<string, string>();
const requestOf = (context: Context) => ({ context, modelId: "simulated-model", maxOutputTokens: OUTPUT_TOKENS });

interface WireUnderTest {
  readonly wire: SimulatedWire;
  readonly clientOf: (simulator: Simulator) => ModelClient;
  readonly bodyOf: (context: Context) => unknown;
  readonly rulesOf: string;
}

const wires: readonly WireUnderTest[] = [
  {
    wire: ANTHROPIC_WIRE,
    clientOf: ({ url }) => createAnthropicClient({ baseUrl: url, environment }),
    bodyOf: (context) => encodeAnthropic(requestOf(context), { images, cacheTimeToLive: "5m" }),
    rulesOf: "claude-sonnet-4",
  },
  {
    wire: OPENAI_CHAT_WIRE,
    clientOf: ({ openAiUrl }) => createOpenAiChatClient({ baseUrl: openAiUrl, environment }),
    bodyOf: (context) => encodeOpenAiChat(requestOf(context), { images, quirks: OPENAI_QUIRKS }),
    rulesOf: "gpt-4o",
  },
  {
    wire: OPENAI_RESPONSES_WIRE,
    clientOf: ({ openAiUrl }) => createOpenAiResponsesClient({ baseUrl: openAiUrl, environment }),
    bodyOf: (context) => encodeOpenAiResponses(requestOf(context), images),
    rulesOf: "gpt-5",
  },
];

const WINDOW_TOKENS = 32_768;
const OUTPUT_TOKENS = 2_048;
const STEPS = 200;

/** Far more than a session of 200 requests takes: on a machine with nothing else to do, a second. */
const SLOWEST_SESSION_MS = 60_000;

/** A tokenizer that finds a third more tokens than the presets' estimators expect. */
const TOKEN_FACTOR_RATIO = 1.3;

async function play(policy: (typeof PRESETS)[number], { clientOf }: WireUnderTest) {
  const simulator = await startSimulator({
    replies: scriptedReply,
    contextWindowTokens: WINDOW_TOKENS,
    tokenFactorRatio: TOKEN_FACTOR_RATIO,
    nowMs: () => 0,
  });
  const client = clientOf(simulator);
  const limits = { windowTokens: WINDOW_TOKENS, maxOutputTokens: OUTPUT_TOKENS };
  const played = await playLongSession({ policy, client, steps: STEPS, ...limits });
  await simulator.close();
  return { ...played, exchanges: simulator.exchanges() };
}

const acting = PRESETS.filter(({ enabled }) => enabled).map((policy) => ({ policy, name: policy.name }));

describe.each(wires.map((each) => ({ ...each, wireName: each.wire.name })))(
  "$wireName, 200 steps in 32k",
  { timeout: SLOWEST_SESSION_MS },
  (under) => {
    test.each(acting)("$name: refused only as overflow, recovered each time; reads as predicted", async ({ policy }) => {
      const played = await play(policy, under);
      const refused = played.exchanges.filter(({ outcome }) => outcome !== "answered");
      expect(refused.filter(({ outcome }) => outcome !== "overflow")).toEqual([]);
      expect(played).toMatchObject({ steps: STEPS, endedBy: null, overflows: refused.length, recoveries: refused.length });
      expect(played.compactions).toBeGreaterThan(0);
      expect(played.sent.every(({ messages }) => checkMessages(messages).length === 0)).toBe(true);
      expect(decodeLog(encodeLog(played.entries), "log").entries).toEqual(played.entries);

      const reads = played.replies.map(({ usage }) => usage.input.cacheReadTokens ?? 0);
      const predicted = predictedCacheUse(played.sent.map(under.bodyOf), {
        wire: under.wire,
        tokenFactorRatio: TOKEN_FACTOR_RATIO,
        rules: MODEL_CATALOG.cacheRulesOf(under.rulesOf),
      });
      const differing = predicted.flatMap((use, index) => (use.readTokens === reads[index] ? [] : [{ ...use, index }]));
      // Where a request only grew, the prediction is exact. An edit in the middle leaves a prefix that ends at no breakpoint: the vendor
      // reads through the last breakpoint before it, the formula through its end.
      expect(differing.filter(({ state }) => state !== "broken")).toEqual([]);
      expect(differing.filter(({ readTokens, index }) => readTokens < (reads[index] ?? 0))).toEqual([]);
    });

    test("without compaction the first overflow reaches the caller, and the log holds all that came before", async () => {
      const played = await play(NONE_POLICY, under);
      expect(played).toMatchObject({ endedBy: "context-overflow", overflows: 1, recoveries: 0, compactions: 0 });
      expect(played.steps).toBe(played.replies.length);
      expect(played.steps).toBeGreaterThan(5);
      expect(decodeLog(encodeLog(played.entries), "log").entries).toEqual(played.entries);
    });
  },
);
