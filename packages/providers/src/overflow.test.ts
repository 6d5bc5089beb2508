import { describe, expect, test } from "vitest";
import { classifyProviderError, namedPromptTokens, type ProviderErrorClass, type ProviderFailure } from "./overflow.ts";

const said = (message: string, status: number | null = null): ProviderFailure => ({ status, message });

describe("the rows of the overflow matrix", () => {
  test.each<[string, ProviderErrorClass, number | null, number | null]>([
    ["prompt is too long: 213462 tokens > 200000 maximum", "context-overflow", 200_000, 213_462],
    ["Your input exceeds the context window of this model", "context-overflow", null, null],
    [
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
      "context-overflow",
      128_000,
      204_308,
    ],
    ["context_length_exceeded", "context-overflow", null, null],
    [
      "400 messages.3.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
      "reasoning-refused",
      null,
      null,
    ],
    ["400 messages.1.content.0: Invalid `signature` in `thinking` block", "reasoning-refused", null, null],
    [
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
      "context-overflow",
      1_048_575,
      1_196_265,
    ],
    ["Please reduce the length of the messages or completion", "context-overflow", null, null],
    [
      "You passed 9004 input tokens and requested 1000 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 7192 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=9004)",
      "context-overflow",
      8192,
      10_004,
    ],
    ["the request exceeds the available context size, try increasing it", "context-overflow", null, null],
    [
      '{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}',
      "context-overflow",
      4096,
      5000,
    ],
    ['{"type":"exceed_context_size_error","n_ctx":4096}', "context-overflow", 4096, null],
    ["prompt token count of 135000 exceeds the limit of 128000", "context-overflow", 128_000, 135_000],
    ["invalid params, context window exceeds limit", "context-overflow", null, null],
    ["400 status code (no body)", "context-overflow", null, null],
    ["413 status code (no body)", "context-overflow", null, null],
    ["model_context_window_exceeded", "context-overflow", null, null],
    ["Input is too long for requested model.", "context-overflow", null, null],
    [
      '{"code":"model_max_prompt_tokens_exceeded","message":"prompt token count of 51808 exceeds the limit of 12288"}',
      "context-overflow",
      12_288,
      51_808,
    ],
    ['413 request_too_large "Request exceeds the maximum size"', "request-too-large", null, null],
    ["Requested token count exceeds the model's maximum context length of 131072 tokens", "context-overflow", 131_072, null],
    ["429 Too Many Requests; rate_limit_exceeded", "rate-limit", null, null],
    [
      "Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000",
      "rate-limit",
      null,
      null,
    ],
    [
      "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 41000",
      "request-too-large",
      30_000,
      41_000,
    ],
    ["This request would exceed your organization's rate limit of 40,000 input tokens per minute", "rate-limit", null, null],
    ["ThrottlingException: Too many tokens, please wait before trying again.", "rate-limit", null, null],
    ["429 status code (no body)", "rate-limit", null, null],
    ["429 (no body)", "rate-limit", null, null],
    ["max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens", "other", null, null],
    ["max_tokens must be at least 1", "other", null, null],
    ['{"error":"context window parameter missing"}', "other", null, null],
  ])("%s", (message, expected, limitTokens, requestedTokens) => {
    expect(classifyProviderError(said(message))).toEqual({ class: expected, limitTokens, requestedTokens });
  });
});

describe("overflows of other providers, with their numbers", () => {
  test.each<[string, string, number | null, number | null]>([
    [
      "Anthropic, with the reply counted (continuedev/continue#6080)",
      "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again",
      200_000,
      207_951,
    ],
    [
      "Anthropic, wrapped by a terminal (anthropics/claude-code#228)",
      "input length and `max_tokens` exceed context limit: 184915 +\n20000 > 204648, decrease input length",
      204_648,
      204_915,
    ],
    [
      "OpenAI, parts named",
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).",
      8192,
      9000,
    ],
    [
      "OpenAI, completions (fierceX/Document_QA#3)",
      "This model's maximum context length is 8191 tokens, however you requested 8238 tokens (8238 in your prompt; 0 for the completion). Please reduce your prompt; or completion length.",
      8191,
      8238,
    ],
    [
      "OpenAI, newer models (bytedance/deer-flow#721)",
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 280131 tokens. Please reduce the length of the messages.",
      272_000,
      280_131,
    ],
    [
      "vLLM, newer (AIDotNet/OpenCowork#82)",
      "This model's maximum context length is 262144 tokens. However, you requested 128000 output tokens and your prompt contains at least 134145 input tokens, for a total of at least 262145 tokens.",
      262_144,
      null,
    ],
    [
      "vLLM, older (xorbitsai/inference#3785)",
      "The decoder prompt (length 17772) is longer than the maximum model length of 16384.",
      16_384,
      17_772,
    ],
    [
      "OpenRouter",
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 145000 tokens (140000 of text input, 5000 in the output).",
      131_072,
      145_000,
    ],
    ["xAI", "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072, 537_812],
    ["Mistral", "Prompt contains 65673 tokens, too large for model with 32768 maximum context length", 32_768, 65_673],
    ["Moonshot", "Invalid request: Your request exceeded model token limit: 262144 (requested: 265010)", 262_144, 265_010],
    ["Fireworks (fw-ai/cookbook#134)", "The prompt is too long: 40177, model maximum context length: 32767", 32_767, 40_177],
    [
      "Cerebras (cline/cline#5140)",
      "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000",
      40_000,
      42_328,
    ],
    [
      "Together, TGI (BerriAI/litellm#4934)",
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 80125 `inputs` tokens and 4096 `max_new_tokens`",
      4097,
      84_221,
    ],
    [
      "Together (stanford-crfm/helm#1820)",
      "Input validation error: `inputs` must have less than 1024 tokens. Given: 1244",
      1024,
      1244,
    ],
    [
      "DashScope (QwenLM/qwen-code#98)",
      "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]",
      204_800,
      null,
    ],
    [
      "SGLang (sgl-project/sglang#4048)",
      "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).",
      59_862,
      160_062,
    ],
    [
      "Cohere (cohere-ai/sandbox-topically#4)",
      "too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt",
      2048,
      6354,
    ],
    ["llama-cpp-python (abetlen/llama-cpp-python#120)", "Requested tokens (613) exceed context window of 512", 512, 613],
    ["llama.cpp", "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it", 4096, 9000],
    ["DS4", "prompt has 9000 tokens, but the configured context size is 4096 tokens", 4096, 9000],
    ["LM Studio", "The number of tokens to keep from the initial prompt is greater than the context length.", null, null],
    ["Ollama", "prompt too long; exceeded max context length by 12 tokens", null, null],
    [
      "Google, with the comma of a locale",
      "The input token count (1,196,265) exceeds the maximum number of tokens allowed 1,048,576.",
      1_048_576,
      1_196_265,
    ],
    ["watsonx", "the number of input tokens 8193 cannot exceed the total tokens limit 8192 for this model", 8192, 8193],
    ["Bedrock", "Too many input tokens. Max input tokens: 8192, request input token count: 9386", 8192, 9386],
  ])("%s", (_, message, limitTokens, requestedTokens) => {
    expect(classifyProviderError(said(message, 400))).toEqual({ class: "context-overflow", limitTokens, requestedTokens });
  });
});

describe("what else goes wrong", () => {
  test.each<[string, string, number | null, ProviderErrorClass]>([
    [
      "an overflow behind a proxy's 502 (CherryHQ/cherry-studio#5538)",
      "Upstream error: The input (49146 tokens) is longer than the model's context length (40960 tokens).",
      502,
      "context-overflow",
    ],
    ["O-r1: an overflow behind a 500", "500: context_length_exceeded", null, "context-overflow"],
    [
      "a limit per minute, with status 413 (continuedev/continue#10218)",
      "413 Request too large for model `llama-3.3-70b-versatile` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again. Upgrade to Dev Tier today at https://console.groq.com/settings/billing",
      null,
      "request-too-large",
    ],
    [
      "a limit per minute that passes (elizaOS/eliza#4040)",
      "Rate limit reached on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s. https://console.groq.com/settings/billing",
      null,
      "rate-limit",
    ],
    ["429, whatever is said with it", "prompt is too long: 213462 tokens > 200000 maximum", 429, "rate-limit"],
    ["a request of too many bytes", "Request payload size exceeds the limit: 20971520 bytes.", 400, "request-too-large"],
    [
      "a message of too many characters",
      "Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576, but got a string with length 2778531 instead.",
      400,
      "request-too-large",
    ],
    ["413 from a proxy", "<html><title>413 Request Entity Too Large</title></html>", 413, "request-too-large"],
    [
      "a tool's description that is too long",
      "Invalid 'tools[5].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 2357 instead.",
      400,
      "other",
    ],
    [
      "a call id that is too long",
      "Invalid 'messages[10].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 53 instead.",
      400,
      "other",
    ],
    [
      "too large a reply asked for (RooCodeInc/Roo-Code#5729)",
      "max_tokens must be less than or equal to 16384, the maximum value for max_tokens is less than the context_window for this model",
      400,
      "other",
    ],
    [
      "too large a reply asked for (charmbracelet/crush#946)",
      "The maximum tokens you requested exceeds the model limit of 32768",
      400,
      "other",
    ],
    ["a range for the reply", "Range of max_tokens should be [1, 32768]", 400, "other"],
    ["a quota", "You exceeded your current quota, please check your plan and billing details.", 429, "quota"],
    [
      "a quota that comes back",
      "You exceeded your current quota. Quota exceeded for metric: input_token_count, limit: 250000. Please retry in 20s.",
      429,
      "rate-limit",
    ],
    ["no money", "Your credit balance is too low to access the API.", 400, "quota"],
    ["a wrong key", "invalid x-api-key", 401, "auth"],
    ["a wrong key told by its code", '{"type":"error","error":{"type":"authentication_error"}}', null, "auth"],
    ["overload", "Overloaded", 529, "transient"],
    ["a fault of the server", "", 503, "transient"],
    ["a connection that broke", "fetch failed: ECONNRESET", null, "transient"],
    ["a bad request", "messages: roles must alternate", 400, "other"],
    ["nothing at all", "", null, "other"],
  ])("%s", (_, message, status, expected) => {
    expect(classifyProviderError(said(message, status)).class).toBe(expected);
  });

  test.each<[string, ProviderFailure]>([
    ["an overflow by its code", { status: 400, message: "Bad Request", code: "context_length_exceeded" }],
    [
      "an overflow told by the body",
      { status: 400, message: "Bad Request", body: { error: { type: "exceed_context_size_error", n_ctx: 4096 } } },
    ],
    [
      "an overflow in the text of a nested body",
      { status: 400, message: "", body: '{"error":"{\\"n_ctx\\":4096,\\"type\\":\\"exceed_context_size_error\\"}"}' },
    ],
  ])("%s", (_, failure) => {
    expect(classifyProviderError(failure).class).toBe("context-overflow");
  });

  test("without long context the usual window is the limit, if none is named", () => {
    const { limitTokens } = classifyProviderError(said("Extra usage is required for long context requests.", 429));
    expect(limitTokens).toBe(200_000);
  });

  test.each([
    [
      "a body that holds itself",
      (() => {
        const body: Record<string, unknown> = {};
        body.self = body;
        return body;
      })(),
    ],
    ["a body that is a function", () => "context_length_exceeded"],
    ["a very long body", "tokens > ".repeat(200_000)],
    ["a body of digits", "1,".repeat(500_000)],
  ])("%s is no reason to fail", (_, body) => {
    expect(classifyProviderError({ status: 400, message: "Bad Request", body }).class).toBe("other");
  });

  test("no numbers are told for what is not about size", () => {
    const classified = classifyProviderError(
      said("Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000"),
    );
    expect(classified).toEqual({ class: "rate-limit", limitTokens: null, requestedTokens: null });
  });

  test("a limit of zero is no limit", () => {
    expect(classifyProviderError(said("This model's maximum context length is 0 tokens.")).limitTokens).toBeNull();
  });
});

describe("the prompt alone, as a rejection names it", () => {
  test.each<[string, number | null]>([
    ["prompt is too long: 213462 tokens > 200000 maximum", 213_462],
    ["input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000", 188_240],
    [
      "This model's maximum context length is 128000 tokens. However, you requested 130000 tokens (128500 in the messages, 1500 in the completion).",
      128_500,
    ],
    ["However, your messages resulted in 204308 tokens. Please reduce the length of the messages.", 204_308],
    ["The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)", 1_196_265],
    ["prompt token count of 135000 exceeds the limit of 128000", 135_000],
    ['{"type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}', 5000],
    ["Your input exceeds the context window of this model", null],
    ["Requested token count exceeds the model's maximum context length of 131072 tokens", null],
  ])("%s", (message, tokens) => {
    expect(namedPromptTokens(said(message, 400))).toBe(tokens);
  });
});
