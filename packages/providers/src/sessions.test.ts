import { startAgent } from "@plimsoll/agent";
import type { Context, ModelClient, ModelReply, Policy } from "@plimsoll/core";
import {
  createDigest,
  createMemoryArtifactStore,
  decodeLog,
  encodeLog,
  NONE_POLICY,
  PLIMSOLL_POLICY,
  PRESETS,
  textOf,
} from "@plimsoll/core";
import { checkMessages } from "@plimsoll/core/extend";
import { type SimulatedReply, type SimulatedRequest, startSimulator } from "@plimsoll/simulator";
import { createMemorySessionStore } from "@plimsoll/stores";
import { describe, expect, test } from "vitest";
import { readFileTool } from "../testing/matrix-script.ts";
import { predictedCacheUse } from "../testing/predicted-reads.ts";
import { CLIENTS } from "../testing/wire-clients.ts";
import { encodeAnthropic } from "./anthropic/encode.ts";
import { MODEL_CATALOG } from "./catalog/model-prices.ts";
import { encodeOpenAiChat } from "./openai-chat/encode.ts";
import { OPENAI_QUIRKS } from "./openai-chat/hosts.ts";
import { encodeOpenAiResponses } from "./openai-responses/encode.ts";
import { FIRST_MESSAGE_NOTICE } from "./wire/turns.ts";

const requestOf = (context: Context) => ({ context, modelId: "simulated-model", maxOutputTokens: OUTPUT_TOKENS });

interface WireUnderTest {
  readonly wireName: keyof typeof CLIENTS;
  readonly bodyOf: (context: Context) => unknown;
  readonly rulesOf: string;
  /** More than an edit within a batch of results may leave unread; 1 if the cache is not kept at breakpoints. */
  readonly missedTokens: number;
}

const wires: readonly WireUnderTest[] = [
  {
    wireName: "anthropic",
    bodyOf: (context) => encodeAnthropic(requestOf(context), { cacheTimeToLive: "5m" }),
    rulesOf: "claude-sonnet-4",
    missedTokens: 200,
  },
  {
    wireName: "openai-chat",
    bodyOf: (context) => encodeOpenAiChat(requestOf(context), OPENAI_QUIRKS),
    rulesOf: "gpt-4o",
    missedTokens: 1,
  },
  {
    wireName: "openai-responses",
    bodyOf: (context) => encodeOpenAiResponses(requestOf(context)),
    rulesOf: "gpt-5",
    missedTokens: 1,
  },
];

const WINDOW_TOKENS = 32_768;
const OUTPUT_TOKENS = 2_048;
const STEPS = 200;

/** Size of the notice that the Messages wire begins with if the user does not, as the simulator counts it. */
const NOTICE_TOKENS = Math.ceil((FIRST_MESSAGE_NOTICE.length / 4) * 1.3);

/** The first message of the session, as the simulator counts it. */
function firstMessageTokens(sent: readonly Context[]): number {
  const [first] = sent[0]?.messages ?? [];
  return Math.ceil(((first === undefined ? "" : textOf(first)).length / 4) * TOKEN_FACTOR_RATIO);
}

/** Tokens of the blocks that two summaries in a row begin with alike: nothing was written to the cache behind them. */
function sharedSummaryTokens(sent: readonly Context[], index: number): number {
  const [before = [], now = []] = [index - 1, index].map((at) => sent[at]?.messages[0]?.parts ?? []);
  const end = now.findIndex((part, at) => JSON.stringify(part) !== JSON.stringify(before[at]));
  const lengths = now.slice(0, Math.max(0, end)).map((part) => (part.type === "text" ? part.text.length : 0));
  return lengths.reduce((sum, chars) => sum + Math.ceil(Math.ceil(chars / 4) * TOKEN_FACTOR_RATIO), 0);
}

/** Whether a request begins with the session's first message, as the one before it did. */
function firstMessageStays(sent: readonly Context[], index: number): boolean {
  const first = sent[0]?.messages[0];
  return [index - 1, index].every((at) => sent[at]?.messages[0] === first);
}

/** Far more than a session of 200 requests takes: on a machine with nothing else to do, a second. */
const SLOWEST_SESSION_MS = 60_000;

/** A tokenizer that finds a third more tokens than the presets' estimators expect. */
const TOKEN_FACTOR_RATIO = 1.3;

function predictionOf(sent: readonly Context[], { wireName, bodyOf, rulesOf }: WireUnderTest) {
  const rules = MODEL_CATALOG.cacheRulesOf(rulesOf);
  return predictedCacheUse(sent.map(bodyOf), { wireName, tokenFactorRatio: TOKEN_FACTOR_RATIO, rules });
}

/** System text of some 1,200 tokens, so that even the overhead by itself is long enough for a prompt cache. */
const SYSTEM = Array.from({ length: 160 }, (_, index) => `Rule ${index}: keep what part ${index} of the plan says.`).join("\n");

/** Every tenth reply ends a turn; the others call one to three tools, with reasoning before them. */
function scriptedReply({ replyIndex }: SimulatedRequest): SimulatedReply {
  if (replyIndex % 10 === 9) return { parts: [{ type: "text", text: `Part ${replyIndex} is done and its tests pass.` }] };
  const calls = Array.from({ length: 1 + (replyIndex % 3) }, (_, index) => ({
    type: "tool-call" as const,
    toolName: "read_file",
    argumentsJson: JSON.stringify({ path: `src/part-${replyIndex}-${index}.ts` }),
  }));
  const reasoning = { type: "reasoning", text: `Part ${replyIndex} needs a look at ${calls.length} files.` } as const;
  return { parts: [reasoning, { type: "text", text: `Looking at part ${replyIndex}.` }, ...calls] };
}

/** A file's text: the same for the same path, between some 200 and 6,000 characters. */
function fileText(path: string): string {
  const step = Number(/\d+/.exec(path));
  const lines = Array.from({ length: 4 + ((step * 37) % 110) }, (_, line) => {
    return `${line}: const value${line * step} = read("${path}", ${line});`;
  });
  return lines.join("\n");
}

async function play(policy: Policy, { wireName }: WireUnderTest, windowTokens = WINDOW_TOKENS) {
  const simulator = await startSimulator({
    replies: scriptedReply,
    contextWindowTokens: windowTokens,
    tokenFactorRatio: TOKEN_FACTOR_RATIO,
    nowMs: () => 0,
  });
  const own = CLIENTS[wireName](simulator);
  const sent: Context[] = [];
  const replies: ModelReply[] = [];
  const client: ModelClient = {
    ...own,
    stream: async function* (request, signal) {
      for await (const event of own.stream(request, signal)) {
        if (event.type === "reply") {
          sent.push(request.context);
          replies.push(event.reply);
        }
        yield event;
      }
    },
  };
  const agent = await startAgent({
    session: { kind: "new", sessionId: "long", system: SYSTEM },
    sessions: createMemorySessionStore(),
    artifacts: createMemoryArtifactStore(),
    model: {
      client,
      modelId: "simulated-model",
      limits: { contextWindowTokens: windowTokens, maxOutputTokens: OUTPUT_TOKENS },
    },
    policy,
    summarizer: createDigest(),
    tools: [readFileTool(fileText)],
    nowMs: () => 0,
  });
  let endedBy: string | null = null;
  while (endedBy === null && replies.length < STEPS)
    endedBy = (await agent.submit(`Please go on with what follows part ${replies.length}.`)).error?.code ?? null;
  const entries = await agent.entries();
  await agent.close();
  await simulator.close();
  return { sent, replies, endedBy, entries, exchanges: simulator.exchanges() };
}

const compactionsIn = ({ entries }: Awaited<ReturnType<typeof play>>) => entries.filter(({ type }) => type === "compaction");

const acting = PRESETS.filter(({ enabled }) => enabled).map((policy) => ({ policy, name: policy.name }));

describe.each(wires)("$wireName, 200 steps in 32k", { timeout: SLOWEST_SESSION_MS }, (under) => {
  test.each(acting)("$name: refused only as overflow, recovered each time; reads as predicted", async ({ policy }) => {
    const played = await play(policy, under);
    const refused = played.exchanges.filter(({ outcome }) => outcome !== "answered");
    expect(refused.filter(({ outcome }) => outcome !== "overflow")).toEqual([]);
    expect(played.endedBy).toBeNull();
    expect(compactionsIn(played).length).toBeGreaterThan(0);
    expect(played.sent.every(({ messages }) => checkMessages(messages).length === 0)).toBe(true);
    expect(decodeLog(encodeLog(played.entries), "log").entries).toEqual(played.entries);

    const reads = played.replies.map(({ usage }) => usage.input.cacheReadTokens ?? 0);
    const predicted = predictionOf(played.sent, under);
    // To the token, after an append and after an edit. Three causes of a difference, both of the Messages wire: the formula knows the request before,
    // the vendor's cache older ones, too. If a summary comes first and the request before began with the user, it still reads the fixed notice of
    // one, and of a second summary that begins as the first did it reads no more than that notice. And the vendor looks back only so many blocks: a
    // first message that stays before the summary may lie farther back.
    const differing = predicted.flatMap(({ state, readTokens }, index) => {
      const moreTokens = (reads[index] ?? 0) - readTokens;
      const sharedTokens = sharedSummaryTokens(played.sent, index);
      return moreTokens === 0 ? [] : [{ state, moreTokens, sharedTokens, stays: firstMessageStays(played.sent, index) }];
    });
    const expected = differing.map(({ stays, sharedTokens }) => {
      if (stays) return -firstMessageTokens(played.sent);
      return sharedTokens > 0 ? -sharedTokens : NOTICE_TOKENS;
    });
    expect(differing.map(({ state, moreTokens }) => [state, moreTokens])).toEqual(expected.map((more) => ["broken", more]));
    expect(new Set(predicted.map(({ state }) => state))).toEqual(new Set(["first", "warm", "broken"]));
  });

  test("without compaction the first overflow reaches the caller, and the log holds all that came before", async () => {
    const played = await play(NONE_POLICY, under);
    expect([played.endedBy, compactionsIn(played)]).toEqual(["context-overflow", []]);
    expect(played.exchanges.filter(({ outcome }) => outcome !== "answered")).toMatchObject([{ outcome: "overflow" }]);
    expect(played.replies.length).toBeGreaterThan(5);
    expect(decodeLog(encodeLog(played.entries), "log").entries).toEqual(played.entries);
  });
});

/** Clears old results in batches, in the middle of a prompt, and does nothing else: no setting of a preset may change that. */
const CLEARING_POLICY: Policy = {
  ...PLIMSOLL_POLICY,
  trigger: { atLeast: { ratio: 0.9, of: "input-budget" } },
  keep: [{ kind: "recent", amount: { ratio: 0.3, of: "input-budget" } }],
  truncation: { capTokens: 8_000 },
  progress: { minimumNewTokens: 1_000, maximumFailures: 3 },
  afterPause: null,
  strategies: [{ kind: "clear-tool-results", keepResults: 10, clearAtLeastTokens: 4_000 }],
};

test.each(wires)(
  "$wireName: edits in the middle of a long prompt leave what was before them in the cache",
  { timeout: SLOWEST_SESSION_MS },
  async (under) => {
    const played = await play(CLEARING_POLICY, under, 65_536);
    const reads = played.replies.map(({ usage }) => usage.input.cacheReadTokens ?? 0);
    const predicted = predictionOf(played.sent, under);
    const broken = predicted.flatMap((use, index) => (use.state === "broken" ? [{ ...use, read: reads[index] ?? 0 }] : []));
    expect(broken.length).toBeGreaterThan(10);
    expect(Math.max(...broken.map(({ readTokens }) => readTokens))).toBeGreaterThan(15_000);
    const missed = predicted.map((use, index) => use.readTokens - (reads[index] ?? 0));
    // The one cause of a difference: an edit that begins within a batch of results. A breakpoint is at the end of a message, so the results of that
    // batch before the edit, and the reply that asked for them, are not read.
    expect(missed.filter((tokens) => tokens < 0)).toEqual([]);
    expect(Math.max(...missed)).toBeLessThan(under.missedTokens);
    expect(predicted.filter(({ state }, index) => state !== "broken" && missed[index] !== 0)).toEqual([]);
  },
);
