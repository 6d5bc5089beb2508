import { AIMessage } from "@langchain/core/messages";
import { PLIMSOLL_POLICY, type Usage } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { ITEM_FORMS, type KeptName } from "../testing/item-forms.ts";
import { COMPACTORS } from "../testing/kept-items.ts";
import { anthropicUsage } from "./anthropic/decode.ts";
import { openAiUsage } from "./openai-chat/decode.ts";

/** Sizes in one line: total = uncached + read + written (of it for an hour) → reply (of it reasoning); billed in → out. */
function line({ input, output, billed }: Usage): string {
  const prompt = `${input.totalTokens} = ${input.uncachedTokens} + ${input.cacheReadTokens} + ${input.cacheWriteTokens} (${input.cacheWriteOneHourTokens})`;
  return `${prompt} → ${output.totalTokens} (${output.reasoningTokens}); ${billed.inputTokens} → ${billed.outputTokens}`;
}

describe("Anthropic: parts are disjoint", () => {
  test.each([
    [
      "fresh input alone; what is not told stays unknown",
      { input_tokens: 25, output_tokens: 15 },
      "25 = 25 + null + null (null) → 15 (null); 25 → 15",
    ],
    [
      "cache reads and writes are added, for an hour among them (a recorded call of claude-opus-4-7)",
      {
        input_tokens: 6,
        cache_creation_input_tokens: 14_646,
        cache_read_input_tokens: 28_719,
        output_tokens: 294,
        cache_creation: { ephemeral_1h_input_tokens: 14_646, ephemeral_5m_input_tokens: 0 },
        iterations: [{ type: "message", input_tokens: 6, output_tokens: 294, cache_read_input_tokens: 28_719 }],
      },
      "43371 = 6 + 28719 + 14646 (14646) → 294 (null); 43371 → 294",
    ],
    ["zero", { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 }, "0 = 0 + 0 + null (null) → 0 (null); 0 → 0"],
    [
      "a compaction at the server is billed and is not in the context",
      {
        input_tokens: 220,
        output_tokens: 40,
        iterations: [
          { type: "compaction", input_tokens: 55_196, output_tokens: 900 },
          { type: "message", input_tokens: 220, output_tokens: 40 },
        ],
      },
      "220 = 220 + null + null (null) → 40 (null); 55416 → 940",
    ],
    [
      "of several samplings the last is the context, all are billed",
      {
        input_tokens: 900,
        output_tokens: 300,
        iterations: [
          { type: "message", input_tokens: 400, cache_read_input_tokens: 100, output_tokens: 100 },
          { type: "message", input_tokens: 500, cache_read_input_tokens: 500, output_tokens: 200 },
        ],
      },
      "1000 = 500 + 500 + null (null) → 200 (null); 1500 → 300",
    ],
    [
      "a pause after compaction: only the compaction was sampled",
      { input_tokens: 0, output_tokens: 0, iterations: [{ type: "compaction", input_tokens: 55_196, output_tokens: 900 }] },
      "0 = 0 + null + null (null) → 0 (null); 55196 → 900",
    ],
    ["nothing told", {}, "null = null + null + null (null) → null (null); null → null"],
  ])("%s", (_, usage, expected) => {
    expect(line(anthropicUsage(usage))).toBe(expected);
    expect(anthropicUsage(usage).raw).toEqual(usage);
  });
});

describe("Chat Completions: the prompt holds its cached part", () => {
  test.each([
    [
      "cached tokens are taken out, never added (sizes of a recorded call of gpt-5, with a cached part put in)",
      {
        prompt_tokens: 2_191,
        completion_tokens: 211,
        total_tokens: 2_402,
        prompt_tokens_details: { cached_tokens: 1_920 },
        completion_tokens_details: { reasoning_tokens: 128 },
      },
      "2191 = 271 + 1920 + null (null) → 211 (128); 2191 → 211",
    ],
    [
      "DeepSeek names hits and misses",
      { prompt_tokens: 120, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 56, completion_tokens: 5 },
      "120 = 56 + 64 + null (null) → 5 (null); 120 → 5",
    ],
    [
      "Moonshot tells cached tokens at the top",
      { prompt_tokens: 1_000, cached_tokens: 768, completion_tokens: 5 },
      "1000 = 232 + 768 + null (null) → 5 (null); 1000 → 5",
    ],
    [
      "a router tells writes too",
      {
        prompt_tokens: 5_000,
        completion_tokens: 9,
        prompt_tokens_details: { cached_tokens: 3_000, cache_write_tokens: 1_500 },
      },
      "5000 = 500 + 3000 + 1500 (null) → 9 (null); 5000 → 9",
    ],
    ["without details", { prompt_tokens: 10, completion_tokens: 2 }, "10 = 10 + null + null (null) → 2 (null); 10 → 2"],
    ["nothing told", {}, "null = null + null + null (null) → null (null); null → null"],
  ])("%s", (_, usage, expected) => {
    expect(line(openAiUsage(usage))).toBe(expected);
  });
});

describe("Responses: the prompt holds its cached part", () => {
  test.each([
    [
      "cached and reasoning tokens are parts (a recorded call of gpt-5.4)",
      {
        input_tokens: 19_480,
        input_tokens_details: { cached_tokens: 12_160 },
        output_tokens: 259,
        output_tokens_details: { reasoning_tokens: 9 },
        total_tokens: 19_739,
      },
      "19480 = 7320 + 12160 + null (null) → 259 (9); 19480 → 259",
    ],
    [
      "writes if they are told",
      { input_tokens: 100, input_tokens_details: { cached_tokens: 40, cache_write_tokens: 50 }, output_tokens: 1 },
      "100 = 10 + 40 + 50 (null) → 1 (null); 100 → 1",
    ],
  ])("%s", (_, usage, expected) => {
    expect(line(openAiUsage(usage))).toBe(expected);
  });
});

test("no usage at all is a usage of nulls", () => {
  for (const usage of [anthropicUsage(null), openAiUsage(null)])
    expect(line(usage)).toBe("null = null + null + null (null) → null (null); null → null");
});

describe("a prompt that is told without its cached part is added up at the first report", () => {
  const options = { policy: PLIMSOLL_POLICY, limits: { contextWindowTokens: 40_000, maxOutputTokens: 1_000 } };
  const [prompt, read] = [300, 25_000];
  const chat = { prompt_tokens: prompt, prompt_tokens_details: { cached_tokens: read }, completion_tokens: 5 };
  const responses = { input_tokens: prompt, input_tokens_details: { cached_tokens: read }, output_tokens: 5 };
  const gemini = { promptTokenCount: prompt, cachedContentTokenCount: read, candidatesTokenCount: 5 };
  const sdk = { inputTokens: { total: prompt, noCache: prompt - read, cacheRead: read }, outputTokens: { total: 5 } };
  const agents = { inputTokens: prompt, inputTokensDetails: [{ cached_tokens: read }], outputTokens: 5 };
  const langchain = { input_tokens: prompt, output_tokens: 5, total_tokens: 305, input_token_details: { cache_read: read } };
  const answer = Object.assign(new AIMessage("Hi"), { id: "1", usage_metadata: langchain });

  test.each<[string, KeptName, object]>([
    ["Chat Completions", "openai-chat", { id: "1", model: "m", usage: chat }],
    ["Responses", "openai-responses", { id: "1", model: "m", usage: responses }],
    ["Gemini", "gemini", { responseId: "1", modelVersion: "m", usageMetadata: gemini }],
    ["the AI SDK", "ai-sdk", { usage: sdk, response: { id: "1", modelId: "m" } }],
    ["LangChain", "langchain", answer],
    ["OpenAI Agents", "agents", { responseId: "1", usage: agents }],
  ])("through %s", async (_, name, told) => {
    const compactor = COMPACTORS[name](options);
    await compactor.observe(await compactor.fit([Object(ITEM_FORMS[name].said("Hi"))]), told);
    expect(compactor.conversations()[0]?.expectedTokens).toBeGreaterThanOrEqual(prompt + read);
  });
});
