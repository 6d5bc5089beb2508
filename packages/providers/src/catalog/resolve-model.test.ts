import { startSimulator } from "@plimsoll/simulator";
import { describe, expect, onTestFinished, test } from "vitest";
import { modelFamily, parseModelReference, sentModelId } from "./model-limits.ts";
import { type GetJson, probeServer } from "./probe-server.ts";
import { describePrices, describeWindow, resolveModel } from "./resolve-model.ts";

const signal = new AbortController().signal;

const getJson: GetJson = async (url, by) => {
  const body: unknown = await (await fetch(url, { signal: by })).json();
  return body;
};

test.each([
  ["claude-sonnet-4-5", "claude-sonnet-4-5"],
  ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5"],
  ["anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
  ["claude-sonnet-4-5@20250929", "claude-sonnet-4-5"],
  ["gpt-5-2025-08-07", "gpt-5"],
  ["claude-3-5-haiku-latest", "claude-3-5-haiku"],
  ["claude-sonnet-4-5[1m]", "claude-sonnet-4-5"],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]", "claude-sonnet-4-5"],
  ["anthropic/claude-opus-4.8-latest[beta][1M]", "claude-opus-4-8"],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0:1m", "claude-sonnet-4-5"],
  ["smollm2:135m", "smollm2:135m"],
])("the family of %s is %s", (modelId, family) => {
  expect(modelFamily(modelId)).toBe(family);
});

test.each([
  ["gpt-5", { host: null, modelId: "gpt-5" }],
  ["openai/gpt-5", { host: "openai", modelId: "gpt-5" }],
  ["openrouter/anthropic/claude-sonnet-4.5", { host: "openrouter", modelId: "anthropic/claude-sonnet-4.5" }],
  ["qwen/qwen3-coder", { host: null, modelId: "qwen/qwen3-coder" }],
  ["ollama/qwen3:8b", { host: "ollama", modelId: "qwen3:8b" }],
  ["llama.cpp/gpt-5", { host: "llama.cpp", modelId: "gpt-5" }],
  ["haiku", { host: null, modelId: "claude-haiku-5-5" }],
  ["anthropic/opus", { host: "anthropic", modelId: "claude-opus-5-5" }],
  ["sonnet[1m]", { host: null, modelId: "claude-sonnet-5-5[1m]" }],
  ["gpt-5[fast]", { host: null, modelId: "gpt-5[fast]" }],
])("%s names a model", (text, reference) => {
  expect(parseModelReference(text)).toEqual(reference);
});

test.each<[string, string, number]>([
  ["claude-sonnet-4-5[1m]", "claude-sonnet-4-5", 1_000_000],
  ["claude-sonnet-4-20250514[1m]", "claude-sonnet-4", 1_000_000],
  ["anthropic/claude-sonnet-4-5[1M]", "anthropic/claude-sonnet-4-5", 1_000_000],
  ["claude-opus-4-5[500k]", "claude-opus-4-5", 500_000],
  ["claude-opus-4-5[beta]", "claude-opus-4-5", 200_000],
  ["grok-4[1m]", "grok-4", 1_000_000],
  ["claude-sonnet-4-5-20250929:1m", "claude-sonnet-4-5", 1_000_000],
  ["anthropic/claude-sonnet-4.5:1M", "anthropic/claude-sonnet-4-5", 1_000_000],
  ["claude-opus-4-5:500k", "claude-opus-4-5", 500_000],
  ["grok-4:1m", "grok-4", 1_000_000],
])("a suffix is a variant: %s has the prices of %s and a window of %i", async (reference, plain, windowTokens) => {
  const variant = await resolveModel({ reference, unknownWindow: "off" });
  const base = await resolveModel({ reference: plain, unknownWindow: "off" });
  // A request's limits of images and pages follow the window.
  expect({ ...variant.limits, request: null }).toEqual({ ...base.limits, contextWindowTokens: windowTokens, request: null });
  expect(base.prices).not.toBeNull();
  expect([variant.prices, variant.priceSource, variant.tokenizer]).toEqual([base.prices, base.priceSource, base.tokenizer]);
});

test.each([
  ["claude-sonnet-4-5[1m]", "claude-sonnet-4-5"],
  ["anthropic/claude-sonnet-4.5:1m", "anthropic/claude-sonnet-4.5"],
  ["phi3:128k", "phi3:128k"],
  ["smollm2:135m", "smollm2:135m"],
])("of %s a vendor is sent %s", (id, sent) => {
  expect(sentModelId(id)).toBe(sent);
});

describe("the window comes from", () => {
  const unknownWindow = { tokens: 50_000 };
  const told = () => Promise.resolve({ contextWindowTokens: 9_000, maxOutputTokens: 1_000, url: "http://server/props" });

  test.each([
    [
      "config, before everything else",
      { reference: "gpt-5", config: { contextWindowTokens: 32_000, maxOutputTokens: null }, unknownWindow, probe: told },
      "context window 32000 tokens (config)",
    ],
    [
      "the catalogue",
      { reference: "openai/gpt-5-mini-2025-08-07", unknownWindow, probe: told },
      "context window 400000 tokens (catalogue, limits of 2026-11-23)",
    ],
    [
      "the price package if our own table has nothing",
      { reference: "grok-4", unknownWindow, probe: told },
      "context window 256000 tokens (catalogue, prices of 2026-09-23)",
    ],
    [
      "the server, of a model that runs on this machine whatever its name says",
      { reference: "ollama/gpt-5", unknownWindow, probe: told },
      "context window 9000 tokens (server, http://server/props)",
    ],
    [
      "the server",
      { reference: "my-own-model", unknownWindow, probe: told },
      "context window 9000 tokens (server, http://server/props)",
    ],
    ["the policy", { reference: "my-own-model", unknownWindow }, "context window 50000 tokens (policy, unknownWindow)"],
    ["nowhere", { reference: "my-own-model", unknownWindow: "off" as const }, "context window unknown"],
  ])("%s", async (_, resolution, description) => {
    expect(describeWindow(await resolveModel(resolution))).toBe(description);
  });
});

test("input, output, prices and tokenizer are known together", async () => {
  const model = await resolveModel({ reference: "openai/gpt-5", unknownWindow: "off" });
  expect(model).toMatchObject({
    maxInput: { tokens: 272_000, source: "catalogue" },
    maxOutput: { tokens: 128_000, source: "catalogue" },
    limits: { contextWindowTokens: 400_000, maxOutputTokens: 128_000 },
    tokenizer: "o200k_base",
  });
  expect(model.prices?.tiers[0].inputUsdPerMillion).toBe(1.25);
});

test("a model has the prices of the host that serves it", async () => {
  const direct = await resolveModel({ reference: "anthropic/claude-sonnet-4-5", unknownWindow: "off" });
  expect(direct.prices?.tiers[0]).toMatchObject({
    inputUsdPerMillion: 3,
    cacheReadUsdPerMillion: 0.3,
    cacheWriteUsdPerMillion: 3.75,
    cacheWriteOneHourUsdPerMillion: 6,
  });
  const routed = await resolveModel({ reference: "openrouter/anthropic/claude-sonnet-4.5", unknownWindow: "off" });
  expect(routed.prices?.tiers[0].inputUsdPerMillion).toBe(3);
  expect(routed.host).toBe("openrouter");
});

describe("a server is asked", () => {
  test("for the window that it runs with", async () => {
    const simulator = await startSimulator({ replies: [], contextWindowTokens: 8_192 });
    onTestFinished(() => simulator.close());
    expect(await probeServer(simulator.openAiUrl, "simulated", { getJson, signal })).toEqual({
      contextWindowTokens: 8_192,
      maxOutputTokens: null,
      url: `${simulator.url}/props`,
    });
  });

  test.each<[string, unknown, number | null, number | null]>([
    ["vLLM", { id: "m", max_model_len: 32_768 }, 32_768, null],
    ["OpenRouter", { id: "m", context_length: 200_000, top_provider: { max_completion_tokens: 64_000 } }, 200_000, 64_000],
    ["Groq", { id: "m", context_window: 131_072, max_completion_tokens: 32_768 }, 131_072, 32_768],
    ["llama.cpp without /props", { id: "m", meta: { n_ctx_train: 4_096 } }, 4_096, null],
  ])("and tells it as %s does", async (_, model, contextWindowTokens, maxOutputTokens) => {
    const answers: GetJson = (url) =>
      url.endsWith("/v1/models") ? Promise.resolve({ data: [{ id: "other" }, model] }) : Promise.reject(new Error("404"));
    expect(await probeServer("http://server/v1", "m", { getJson: answers, signal })).toEqual({
      contextWindowTokens,
      maxOutputTokens,
      url: "http://server/v1/models",
    });
  });

  test("and may tell nothing, or not be there", async () => {
    const nothing: GetJson = () => Promise.reject(new Error("connection refused"));
    expect(await probeServer("http://server/v1", "m", { getJson: nothing, signal })).toBeNull();
  });
});

test.each([
  [
    "a vendor's own id",
    "claude-sonnet-4-5",
    "$3 in, $0.3 cache read, $3.75 cache write, $15 out a million tokens (prices of 2026-09-23, as anthropic/claude-sonnet-4-5)",
  ],
  [
    "a dated id",
    "gpt-5-mini-2025-08-07",
    "$0.25 in, $0.025 cache read, $0.25 cache write, $2 out a million tokens (prices of 2026-09-23, as openai/gpt-5-mini)",
  ],
  [
    "a region of a cloud costs more",
    "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "$3.3 in, $0.33 cache read, $4.125 cache write, $16.5 out a million tokens (prices of 2026-09-23, as aws/regional.anthropic.claude-sonnet-4-5-20250929-v1:0)",
  ],
  [
    "our own table",
    "synthetic/o200k",
    "$3 in, $0.3 cache read, $3.75 cache write, $15 out a million tokens (own table, 2026-11-21: stand-in: no model wrote the bundled sessions; the list price of claude-sonnet-4-5 up to 200,000 tokens)",
  ],
  [
    "no price is guessed from a relative's, although the window is known",
    "gpt-6.1-sol",
    "prices unknown; the nearest model with prices is gpt-6.2-sol",
  ],
  ["misspelt", "claude-sonet-4-5", "prices unknown; did you mean claude-sonnet-4-5, claude-sonnet-4-0, claude-sonnet-4-6?"],
  ["another one", "gtp-4o", "prices unknown; did you mean gpt-4o?"],
  ["of a known family", "claude-haiku-7-deluxe-edition", "prices unknown; the nearest model with prices is claude-haiku-5-5"],
  ["one that is near nothing", "my-own-model", "prices unknown; the nearest model with prices is claude-sonnet-5-5"],
  ["a server on this machine", "ollama/qwen3", "prices unknown"],
])("prices say where they are from: %s", async (_, reference, line) => {
  expect(describePrices(await resolveModel({ reference, unknownWindow: "off" }))).toBe(line);
});

test.each([
  ["azure/gpt-4o", "azure", 2.5],
  ["vertex/claude-sonnet-4-5@20250929", "vertex", 3],
  ["openrouter/anthropic/claude-sonnet-4.5", "openrouter", 3],
])("the host that serves it counts: %s", async (reference, host, inputUsdPerMillion) => {
  const model = await resolveModel({ reference, unknownWindow: "off" });
  expect(model.host).toBe(host);
  expect(model.prices?.tiers[0].inputUsdPerMillion).toBe(inputUsdPerMillion);
});
