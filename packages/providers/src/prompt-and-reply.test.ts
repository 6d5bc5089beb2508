import { type ModelRequest, type ModelResponse, Usage } from "@openai/agents-core";
import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { MockLanguageModelV3 } from "ai/test";
import { describe, expect, onTestFinished, test } from "vitest";
import { ALL_DOORS, type Call, chatAnswer, openPartDoor, PART_DOORS, refusal, untilTaken } from "../testing/doors.ts";
import { KEPT_NAMES, keptHistory } from "../testing/kept-items.ts";
import { sdkRejection } from "./client/failure.ts";
import { createCompactionMiddleware } from "./drop-in/ai-sdk.ts";
import { createCompactingModel } from "./drop-in/openai-agents.ts";
import type { Fields } from "./fields.ts";
import { classifyProviderError, namedPromptTokens, outcomeOf } from "./overflow.ts";

/** Prompt, reply and window, in tokens. */
type Words = (prompt: number, reply: number, window: number) => string;

const REFUSALS: readonly (readonly [string, number, Words])[] = [
  ["Anthropic", 400, (p, r, w) => `input length and \`max_tokens\` exceed context limit: ${p} + ${r} > ${w}, decrease either`],
  [
    "OpenAI",
    400,
    (p, r, w) =>
      `This model's maximum context length is ${w} tokens. However, you requested ${p + r} tokens (${p} in the messages, ${r} in the completion).`,
  ],
  [
    "vLLM, of the least that was too much",
    400,
    (_, r, w) =>
      `This model's maximum context length is ${w} tokens. However, you requested ${r} output tokens and your prompt contains at least ${w - r + 1} input tokens, for a total of at least ${w + 1} tokens.`,
  ],
  [
    "TGI",
    422,
    (p, r, w) =>
      `\`inputs\` tokens + \`max_new_tokens\` must be <= ${w}. Given: ${p} \`inputs\` tokens and ${r} \`max_new_tokens\``,
  ],
  ["another language", 400, (p, r, w) => `输入长度 ${p} 与 max_tokens ${r} 之和超过了模型上限 ${w}`],
  ["words that nobody knows", 413, (p, r, w) => `The vessel carries ${p} and is to take ${r}: its line is at ${w}`],
  ["a sum alone", 400, (p, r, w) => `Your request exceeded model token limit: ${w} (requested: ${p + r})`],
  [
    "a sum in other words, behind a code",
    422,
    (p, r, w) =>
      `5021: The estimated number of input and maximum output tokens (${p + r}) exceeded this model context window limit (${w}).`,
  ],
];

const LIMITS = { contextWindowTokens: 200_000, maxOutputTokens: 32_000 };
const WINDOW = 64_000;
const TURNS = 20;
const said = (index: number) => `${index}: ${"some words of a person ".repeat(700)}`;

/** A server that counts prompt and reply together. */
function server(status: number, words: Words) {
  const seen = { refused: 0, replies: [] as number[], sent: [] as (readonly [messages: number, reply: number])[], first: -1 };
  const call: Call = async ({ messages, max_tokens: reply }) => {
    const prompt = Math.ceil(JSON.stringify(messages).length / 4);
    const asked = reply ?? 0;
    seen.sent.push([messages.length, asked]);
    if (prompt + asked > WINDOW) {
      seen.refused += 1;
      if (seen.first < 0) seen.first = seen.sent.length - 1;
      throw refusal(status, words(prompt, asked, WINDOW));
    }
    seen.replies.push(asked);
    return chatAnswer(`r${seen.replies.length}`, prompt);
  };
  return { seen, call };
}

/** Replies that a caller asks for; drop-ins cannot lower them, so that one as large as the window is refused to them. */
const doors = ALL_DOORS.flatMap(([name, open]) => {
  const isCallers = name === "a drop-in" || name.startsWith("a program");
  return [8_000, 32_000, 60_000, 64_000].flatMap((reply) =>
    isCallers && reply > 32_000 ? [] : [[`${name}, ${reply} tokens`, open, { reply, isCallers }] as const],
  );
});

describe.each(doors)("%s", (_, open, { reply: maxOutputTokens, isCallers }) => {
  test.each(REFUSALS)("goes on after the refusal of prompt and reply together by %s", async (__, status, words) => {
    const { seen, call } = server(status, words);
    const door = await open(PLIMSOLL_POLICY, { ...LIMITS, maxOutputTokens });
    for (let turn = 0; turn < TURNS; turn += 1) {
      door.say(said(turn));
      await door.send(call);
    }
    expect(seen.replies).toHaveLength(TURNS);
    expect(seen.refused).toBeGreaterThan(0);
    expect(seen.refused).toBeLessThan(8);
    expect(Math.min(...seen.replies)).toBeGreaterThanOrEqual(1_024);
    const [refused, next] = seen.sent.slice(seen.first);
    const isLowered = refused?.[0] === next?.[0] && Number(next?.[1]) < Number(refused?.[1]);
    expect([isCallers, isLowered]).toContain(true);
  });
});

/** Programs that keep items of a kind. */
const KEEPERS = [...PART_DOORS, ...KEPT_NAMES.map((name) => [name, "drop-in that is told replies"] as const)];

describe.each(KEEPERS)("items of %s through a %s", (name, through) => {
  test.each(REFUSALS)("go on after the refusal of prompt and reply together by %s", async (_, status, words) => {
    const door = openPartDoor(name, { through, replyTokens: LIMITS.maxOutputTokens });
    onTestFinished(door.close);
    const asked: { readonly items: number; readonly reply: number; readonly isRefused: boolean }[] = [];
    let history: readonly Fields[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      history = [...history, ...keptHistory(name, [{ id: `c${turn}`, seal: null }], said(turn))];
      const { failure } = await untilTaken(door, history, (items, reply) => {
        const prompt = Math.ceil(JSON.stringify(items).length / 4);
        const isRefused = prompt + reply > WINDOW;
        asked.push({ items: items.length, reply, isRefused });
        return isRefused ? { status, body: { message: words(prompt, reply, WINDOW) } } : null;
      });
      expect(failure).toBeNull();
    }
    expect(asked.length).toBeLessThan(TURNS + 8);
    expect(Math.min(...asked.map(({ reply }) => reply))).toBeGreaterThanOrEqual(1_024);
    expect(asked.at(-1)?.items).toBeLessThan(history.length);
    // The reply is lowered before anything is cut, where the door can ask for less.
    const [refused, next] = asked.slice(asked.findIndex(({ isRefused }) => isRefused));
    const isLowered = next?.items === refused?.items && Number(next?.reply) < Number(refused?.reply);
    expect([through === "drop-in", isLowered]).toContain(true);
  });
});

const POLICED = { policy: PLIMSOLL_POLICY, limits: LIMITS };
const unstreamed = () => {
  throw new Error("not asked");
};

type LibraryCall = (messages: readonly unknown[], replyTokens: number | undefined) => void;

/** Libraries that call a model by themselves with one of our doors' results of these texts. */
const LIBRARIES: {
  readonly [name: string]: (texts: readonly string[], call: LibraryCall, own: number | undefined) => Promise<unknown>;
} = {
  "the AI SDK": async (texts, call, maxOutputTokens) => {
    const model = new MockLanguageModelV3({
      doGenerate: async ({ prompt, maxOutputTokens }) => {
        call(prompt, maxOutputTokens);
        const usage = {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        };
        const finishReason = { unified: "stop", raw: "stop" } as const;
        return { content: [{ type: "text", text: "Yes." }], finishReason, usage, warnings: [] };
      },
    });
    const params: Parameters<typeof model.doGenerate>[0] = {
      prompt: texts.map((text) => ({ role: "user", content: [{ type: "text", text }] })),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    };
    const [doGenerate, doStream] = [() => model.doGenerate(params), () => model.doStream(params)];
    await createCompactionMiddleware(POLICED).wrapGenerate({ params, model, doGenerate, doStream });
  },
  "OpenAI's Agents SDK": (texts, call, maxTokens) => {
    const getResponse = async ({ input, modelSettings }: ModelRequest): Promise<ModelResponse> => {
      call([...input], modelSettings.maxTokens);
      return { usage: new Usage(), output: [] };
    };
    const model = createCompactingModel({ getResponse, getStreamedResponse: unstreamed }, POLICED);
    return model.getResponse({
      input: texts.map((content) => ({ role: "user", content })),
      modelSettings: maxTokens === undefined ? {} : { maxTokens },
      ...{ tools: [], handoffs: [], outputType: "text", tracing: false },
    });
  },
};

/** Each library, with a reply that the call names, and with that of the options' limits. */
const LIBRARY_CALLS = Object.keys(LIBRARIES).flatMap((name) => [
  [`${name} that names its reply`, name, LIMITS.maxOutputTokens] as const,
  [`${name} that names none`, name, undefined] as const,
]);

describe.each(LIBRARY_CALLS)("a request of %s", (_, name, own) => {
  test.each(REFUSALS)(
    "asks for less before it is cut, refused for prompt and reply together by %s",
    async (__, status, words) => {
      const asked: (readonly [number, number | undefined])[] = [];
      await LIBRARIES[name]?.(
        Array.from({ length: 7 }, (___, turn) => said(turn)),
        (messages, reply = 0) => {
          asked.push([messages.length, reply]);
          const prompt = Math.ceil(JSON.stringify(messages).length / 4);
          if (prompt + reply > 50_000) throw refusal(status, words(prompt, reply, 50_000));
        },
        own,
      );
      const [first, second, ...more] = asked;
      expect([first?.[1], second?.[0], more]).toEqual([LIMITS.maxOutputTokens, first?.[0], []]);
    },
  );
});

describe("a reply that is as long as the window, refused without a number, is asked for shorter", () => {
  test.each(ALL_DOORS.filter(([name]) => ["a session", "a proxy", "an agent"].includes(name)))("by %s", async (_, open) => {
    const { seen, call } = server(400, () => "Prompt exceeds max length");
    const door = await open(PLIMSOLL_POLICY, { ...LIMITS, maxOutputTokens: WINDOW });
    door.say("Go.");
    await door.send(call);
    expect(seen).toMatchObject({ refused: 1, replies: [8_192] });
  });
});

describe("the numbers of a refusal, by their arithmetic", () => {
  test.each<[string, string, number, number | null, number | null, number | null]>([
    ["prompt, reply and limit in any order", "64000 wants beside it 150000 of 200000", 64_000, 200_000, 214_000, 150_000],
    ["with their sum", "214000 (64000 + 150000) is above 200000", 64_000, 200_000, 214_000, 150_000],
    ["a prompt beyond the limit by itself, said so", "context window of 8192: 9004 and 1000", 1000, 8192, 10_004, 9004],
    ["a reply as long as the window", "1000 + 64000 = 65000 > 64000", 64_000, 64_000, 65_000, 1000],
    ["the least that was too much is no count", "128000 and 134145 make 262145 of 262144", 128_000, 262_144, null, null],
    [
      "a prompt in parts, whose sum is named",
      "maximum context length is 8192 tokens. However, you requested 8213 tokens (6683 in the messages, 730 in the functions, and 800 in the completion)",
      ...([800, 8192, 8213, 7413] as const),
    ],
    [
      "what the window leaves to the input is not the window",
      "You passed 98305 input tokens and requested 32768 output tokens. However, the model's context length is only 131072 tokens, resulting in a maximum input length of 98304 tokens.",
      ...([32_768, 131_072, null, null] as const),
    ],
    ["fractions of nothing", "prompt length (1200.0) and max_tokens (8192) exceed max_seq_len (8192)", 8192, 8192, 9392, 1200],
    ["a date, a version and a code are none", "2026-01-02 v1.2000 code: 1261: 900 + 8000 > 8192", 8_000, 8192, 8_900, 900],
  ])("%s", (_, message, reply, limitTokens, requestedTokens, prompt) => {
    const failure = { status: 400, message, request: { max_tokens: reply } };
    expect(classifyProviderError(failure)).toEqual({ class: "context-overflow", limitTokens, requestedTokens });
    expect(namedPromptTokens(failure)).toBe(prompt);
  });

  test.each<[string, string, number]>([
    [
      "a reply that the model does not give",
      "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens",
      100_000,
    ],
    [
      "another limit of the reply",
      "max_tokens is too large: 200000. At most 16384 completion tokens, whereas you provided 200000",
      200_000,
    ],
    ["one of the window", "max_tokens=400000 cannot be greater than max_model_len=204800.", 400_000],
  ])("%s is no overflow of the context", (_, message, reply) => {
    const failure = { status: 400, message, request: { max_tokens: reply } };
    const { class: failureClass } = classifyProviderError(failure);
    expect(failureClass).toBe("other");
    expect(outcomeOf(failure, failureClass)).toMatchObject({ kind: "reply-too-large", limit: expect.any(Number) });
  });

  test("a field that names the reply as too long says so without a number", () => {
    const detail = [{ type: "less_than", loc: ["body", "max_tokens"], msg: "must be less than the context window" }];
    const thrown = Object.assign(new Error("422"), { status: 422, error: { message: { detail } } });
    expect(sdkRejection(thrown)?.outcome).toEqual({ kind: "reply-too-large", limit: null });
  });

  test.each([
    ["as an SDK says it", "", ""],
    ["in a body", '400 {"error":', "}"],
  ])("a place of the history that quotes a refusal is not refused for its size, %s", (_, before, after) => {
    const quoted = "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000";
    const error = {
      message: `Invalid value for 'messages[4].content': "${quoted}" is no object`,
      param: "messages[4].content",
    };
    const message = before === "" ? error.message : `${before}${JSON.stringify(error)}${after}`;
    expect(classifyProviderError({ status: 400, message, body: error })).toMatchObject({ class: "other", limitTokens: null });
  });

  test.each([
    ["OpenAI", "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 280131 tokens."],
    ["in other words", "Range of input length should be [1, 272000]"],
  ])("a limit of the input leaves the reply out: %s", (_, message) => {
    const thrown = Object.assign(new Error(`400 ${message}`), { status: 400, error: { message } });
    expect(sdkRejection(thrown, { max_output_tokens: 128_000 })?.limitTokens).toBe(400_000);
  });

  test("characters are no tokens", () => {
    const message = "prompt is too long: 900000 characters, at most 400000 characters";
    expect(classifyProviderError({ status: 400, message })).toMatchObject({ class: "context-overflow", limitTokens: null });
  });
});
