import { NONE_POLICY, PLIMSOLL_POLICY, type Policy } from "@plimsoll/core";
import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { type Call, chatAnswer, REFUSING_DOORS, refusal } from "../testing/doors.ts";
import { createChatCompactor } from "./drop-in/openai-chat.ts";
import { classifyProviderError, outcomeOf, type ProviderFailure } from "./overflow.ts";

const status = (code: number, message: string, body: unknown = { error: { message } }): ProviderFailure => {
  return { status: code, message: `${code} ${message}`, body };
};

const VLLM =
  "You passed 9004 input tokens and requested 1000 output tokens. However, the model's context length is only 8192 tokens. Please reduce the length of the input prompt.";

describe("what a failed request came to", () => {
  test.each<[string, ProviderFailure, string]>([
    ["GLM", status(400, "Prompt exceeds max length"), "too-large"],
    ["LM Studio", status(400, "Trying to keep the first 9000 tokens when context the overflows."), "too-large"],
    ["LM Studio, later", status(400, "Context size has been exceeded."), "too-large"],
    ["Ollama", status(400, "the input length exceeds the context length"), "too-large"],
    ["llama.cpp", status(400, "request (8212) exceeds context (8192)"), "too-large"],
    ["LiteLLM", status(400, "litellm.ContextWindowExceededError: no words"), "too-large"],
    ["vLLM, with the name of its count", status(400, VLLM, { error: { message: VLLM, param: "input_tokens" } }), "too-large"],
    ["the prompt and the reply together", status(400, "9004 input tokens and 1000 output tokens: the most is 8192"), "unknown"],
    [
      "Cloudflare, of both together",
      status(
        400,
        "The estimated number of input and maximum output tokens (13000) exceeded this model context window limit (12000).",
      ),
      "too-large",
    ],
    ["bytes", status(413, "Payload Too Large"), "too-large"],
    ["images", status(400, "messages: too many images and documents: 101 > 100"), "too-large"],
    ["pages", status(400, "A maximum of 100 PDF pages may be provided."), "too-large"],
    ["long context", status(429, "Extra usage is required for long context requests."), "not-entitled"],
    ["long context that a tier has not", status(429, "Long context requests are not included in your tier."), "not-entitled"],
    ["a plan's window", status(403, "Your plan allows at most 8192 tokens of context."), "not-entitled"],
    ["OpenRouter, unpaid", status(402, "Prompt tokens limit exceeded: 9400 > 8192. To increase, upgrade."), "not-entitled"],
    ["gRPC", status(429, "RESOURCE_EXHAUSTED: Received message larger than max (5242881 vs. 4194304)"), "too-large"],
    ["a limit per time", status(429, "Too many requests"), "rate"],
    ["a key", status(401, "no"), "auth"],
    ["money", status(402, "no"), "quota"],
    ["overload", status(529, "Overloaded"), "overload"],
    ["a server's fault that has a name", status(500, "Internal server error"), "overload"],
    ["a server's fault without a word", { status: 502, message: "502 status code (no body)" }, "unknown"],
    ["a parameter", status(400, "Unsupported", { error: { message: "Unsupported value", param: "temperature" } }), "invalid"],
    ["a place", status(400, "messages.3.content.0: Input tag 'x' does not match"), "invalid"],
    ["a name as parameters have them", status(400, "max_tokens must be positive"), "invalid"],
    ["a model that is not there", status(404, "no such thing"), "invalid"],
    ["a server's fault in words that nobody knows", status(500, "The vessel is overladen"), "unknown"],
    ["words that nobody knows", status(400, "The vessel is overladen, captain"), "unknown"],
    ["a gateway's own status", { status: 520, message: "520 status code (no body)" }, "unknown"],
    ["a status of a server that has no room", status(507, "The vessel is overladen"), "unknown"],
    ["a place that is too long", status(414, "The vessel is overladen"), "unknown"],
    ["a server that is away", status(504, "The vessel is away"), "overload"],
    ["a request that collides", status(409, "The vessel is taken"), "overload"],
    ["a method", status(405, "not so"), "invalid"],
    ["the prompt's own name, too long", status(400, "The parameter 'messages' is too long"), "unknown"],
    ["the prompt's own limit", status(400, "input_ids of 12000 exceeds max_input_len 8192"), "unknown"],
    ["the window's own name", status(400, "12000 is larger than max_model_len"), "unknown"],
    [
      "the prompt's own place",
      status(422, "", { detail: [{ loc: ["body", "messages"], msg: "List should have at most 50 items" }] }),
      "unknown",
    ],
    ["lines of JSON", { status: 400, message: "400", body: '{"error":"overladen"}\n{"done":true}\n' }, "unknown"],
    ["events", { status: 400, message: "400", body: 'data: {"error":"overladen"}\n\ndata: {"a":1}\n\n' }, "unknown"],
    [
      "events that name a parameter",
      { status: 400, message: "400", body: 'data: {"error":{"param":"top_p"}}\n\ndata: {"a":1}\n\n' },
      "invalid",
    ],
    ["the prompt's own name, for its form", status(400, "Invalid value for 'messages'"), "invalid"],
    ["a model's name, too long", status(400, "'model' is too long"), "invalid"],
    ["another name, too long", status(400, "'stop' is longer than 4"), "invalid"],
  ])("%s", (_, failure, kind) => {
    expect(outcomeOf(failure, classifyProviderError(failure).class).kind).toBe(kind);
  });
});

test.each<[string, ProviderFailure, number, number | null]>([
  ["OpenRouter", status(402, "Prompt tokens limit exceeded: 9400 > 8192. To increase, upgrade."), 8192, 9400],
  [
    "GitHub Models",
    status(413, "Request body too large for m. Max size: 8000 tokens.", { error: { code: "tokens_limit_reached" } }),
    ...([8000, null] as const),
  ],
])("%s names its limit of tokens behind another status", (_, failure, limitTokens, requestedTokens) => {
  expect(classifyProviderError(failure)).toEqual({ class: "context-overflow", limitTokens, requestedTokens });
});

type Answer = OpenAI.ChatCompletion;
const answer = chatAnswer;
/** A server whose true window is as many tokens of four characters; `over` is its answer to more. */
function server(windowTokens: number, over: (id: string, tokens: number) => Answer) {
  const seen = { requests: 0, over: 0 };
  const call: Call = async ({ messages }) => {
    seen.requests += 1;
    const tokens = Math.ceil(JSON.stringify(messages).length / 4);
    const id = `r${seen.requests}`;
    seen.over += tokens > windowTokens ? 1 : 0;
    return tokens > windowTokens ? over(id, tokens) : answer(id, tokens);
  };
  return { seen, call };
}

const refuses =
  (code: number, error: unknown = "status code (no body)") =>
  () => {
    throw refusal(code, error);
  };
const said = (index: number) => `${index}: ${"some words of a person ".repeat(170)}`;
const TURNS = 20;
const LIMITS = { contextWindowTokens: 100_000, maxOutputTokens: 1000 };

/** Turns of a thousand tokens through each door; gives the answers. */
const doors = REFUSING_DOORS.map(([name, open]): [string, (call: Call, policy?: Policy) => Promise<Answer[]>] => [
  name,
  async (call, policy = PLIMSOLL_POLICY) => {
    const door = await open(policy, LIMITS);
    const answers: Answer[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      door.say(said(turn));
      answers.push(await door.send(call));
    }
    return answers;
  },
]);

describe.each(doors)("%s goes on", (_, play) => {
  test.each<[string, (id: string, tokens: number) => Answer]>([
    ["too many images", refuses(400, { message: "too many images" })],
    ["a window that is not paid for", refuses(402, { message: "Prompt tokens limit exceeded: 13000 > 12000. Upgrade." })],
    ["a message that gRPC does not take", refuses(429, { message: "RESOURCE_EXHAUSTED: Received message larger than max" })],
    ["a limit of a body in tokens", refuses(413, { message: "tokens_limit_reached: Max size: 12000 tokens." })],
  ])("after %s", async (__, over) => {
    const { seen, call } = server(12_000, over);
    expect(await play(call)).toHaveLength(TURNS);
    expect(seen.over).toBeGreaterThan(0);
    expect(seen.over).toBeLessThan(5);
  });

  test.each<[string, number, object]>([
    ["a refusal that names a parameter", 400, { message: "max_tokens must be positive" }],
    ["a quota", 402, { message: "no" }],
  ])("not after %s: nothing is tried", async (__, code, error) => {
    const { seen, call } = server(12_000, refuses(code, error));
    await expect(play(call)).rejects.toThrow(String(code));
    expect(seen.over).toBe(1);
  });

  test("not if less is refused in the same words: it was tried once", async () => {
    const { seen, call } = server(12_000, refuses(400));
    // Once the history is as large, nothing is taken any more, at any size.
    let largest = 0;
    const broken: Call = async (body) => {
      largest = Math.max(largest, JSON.stringify(body).length);
      return largest > 40_000 ? refuses(400, { message: `No sailing on day ${seen.requests++}` })() : await call(body);
    };
    const before = seen.requests;
    await expect(play(broken)).rejects.toThrow("No sailing");
    expect(seen.requests).toBeGreaterThan(before);
    expect(seen.over).toBe(0);
  });

  test("not with compaction off", async () => {
    const { seen, call } = server(12_000, refuses(400, { message: "The vessel is overladen" }));
    await expect(play(call, NONE_POLICY)).rejects.toThrow("overladen");
    expect(seen.over).toBe(1);
  });
});

test.each(doors.slice(0, 2))("%s takes a reply that its own limit cut", async (_, play) => {
  const { seen, call } = server(12_000, (id, tokens) =>
    answer(id, tokens, { text: "long", finish: "length", outputTokens: 1000 }),
  );
  expect(await play(call)).toHaveLength(TURNS);
  expect(seen.requests).toBe(TURNS);
});

test.each<[string, number, string, number | null]>([
  ["too many images and documents: 126 + 0 > 100", 400, "images", 100],
  ["Too much media: 0 document pages + 107 images > 100", 400, "pages", 100],
  [
    "messages.19.content.27.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    400,
    "manyImagePx",
    2000,
  ],
  [
    "messages.1.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    400,
    "imagePx",
    8000,
  ],
  [
    "messages.168.content.0.tool_result.content.1.image.source.base64: image exceeds 5 MB maximum: 5649924 bytes > 5242880 bytes",
    400,
    "imageBytes",
    5_242_880,
  ],
  ["Image size exceeds the limit of 20 MB", 400, "imageBytes", 20_000_000],
  ["Could not process image. The image is too large.", 400, "imageBytes", null],
  ["Too many images in request. Max is 10.", 400, "images", 10],
  ["Too many images in request: 11 images provided, but the model supports a maximum of 10 images.", 400, "images", 10],
  ["At most 5 image(s) may be provided in one request.", 400, "images", 5],
  ["request contains 52 images, exceeding the maximum of 50 allowed per request", 400, "images", 50],
  ["Image count 5 exceeds limit 4 per request.", 400, "images", 4],
  [
    "You set image=2 (or defaulted to 1) in `--limit-mm-per-prompt`, but passed 3 image items in the same prompt.",
    400,
    "images",
    2,
  ],
  ["A maximum of 100 PDF pages may be provided.", 400, "pages", 100],
  ["The document contains 1200 pages which exceeds the supported page limit of 1000.", 400, "pages", 1000],
  ["Too many documents: 6 were given, at most 5 are allowed", 400, "documents", 5],
  ["The file is too large: 62914560 bytes, limit is 50 MB", 413, "documentBytes", 50_000_000],
  ["Maximum request body size 1048576 exceeded, actual body size 1056562", 413, "bytes", 1_048_576],
  ["Request payload size exceeds the limit: 20971520 bytes.", 400, "bytes", 20_971_520],
  ["failed to parse request", 413, "bytes", null],
])("what is too large in %j, and what is named of its limit", (message, code, of, limit) => {
  const failure = status(code, message);
  expect(outcomeOf(failure, classifyProviderError(failure).class)).toEqual({ kind: "too-large", of, limit });
});

test.each([
  ["messages.3.content.0.image.source.media_type: Input should be 'image/png'", 400],
  ["Failed to download the image: request timeout exceeded", 500],
  ["image_url is not supported by this model", 400],
])("%j is not about how much there is", (message, code) => {
  const failure = status(code, message);
  expect(outcomeOf(failure, classifyProviderError(failure).class).kind).not.toBe("too-large");
});

test("each equal try takes more, what did not help comes back, and after the last nothing is tried", async () => {
  const compactor = createChatCompactor({ policy: PLIMSOLL_POLICY, limits: LIMITS }, "unused");
  const history: OpenAI.ChatCompletionMessageParam[] = [];
  const sizes: number[] = [];
  const send = (largest: number) =>
    compactor.send(history, async (messages) => {
      sizes.push(JSON.stringify(messages).length);
      return (sizes.at(-1) ?? 0) > largest ? refuses(422, { message: "Enough is enough" })() : answer("r", 100);
    });
  for (let turn = 0; turn < 12; turn += 1) {
    history.push({ role: "user", content: said(turn) });
    await send(100_000);
    history.push({ role: "assistant", content: "yes" });
  }
  history.push({ role: "user", content: said(12) });
  sizes.length = 0;
  for (let tries = 0; tries < 4; tries += 1) await expect(send(1_000)).rejects.toThrow("Enough");
  const [full = 0, less = 0, again, half = 0, third, least = 0, ...rest] = sizes;
  expect([again, third, ...rest]).toEqual([full, full, full]);
  expect(less).toBeLessThan(full * 0.85);
  expect(half).toBeLessThan(full * 0.55);
  expect(least).toBeLessThan(half);
});
