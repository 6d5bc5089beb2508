import { startAgent } from "@plimsoll/agent";
import { type ContextEvent, createDigest, createMemoryArtifactStore, createSession, definePolicy } from "@plimsoll/core";
import { amountSchema, defineKeepRule, withKinds } from "@plimsoll/core/extend";
import { createMemorySessionStore } from "@plimsoll/stores";
import type OpenAI from "openai";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { refusal } from "../testing/doors.ts";
import { createAnthropicSession } from "./anthropic/session.ts";
import { catalogLimits, resolveModel } from "./catalog/resolve-model.ts";
import { createCompactionMiddleware } from "./drop-in/ai-sdk.ts";
import { createMessagesCompactor } from "./drop-in/anthropic.ts";
import { createContentsCompactor } from "./drop-in/google-genai.ts";
import { createLangChainMiddleware } from "./drop-in/langchain.ts";
import { createAgentItemsCompactor } from "./drop-in/openai-agents.ts";
import { createChatCompactor } from "./drop-in/openai-chat.ts";
import { createItemsCompactor } from "./drop-in/openai-responses.ts";
import type { FitReport } from "./fit-report.ts";
import { MODEL_CATALOG } from "./index.ts";
import { createChatSession } from "./openai-chat/session.ts";
import { createResponsesSession } from "./openai-responses/session.ts";
import type { SdkSession } from "./session/session.ts";

const NEAR = 'there is no preset "plimsol": did you mean plimsoll?';

interface Asked {
  readonly policy: string;
  readonly model: string;
}

const hi = { role: "user", content: "Hi" } as const;
const client = {
  complete: () => Promise.reject(new Error("not asked")),
  stream: () => {
    throw new Error("not asked");
  },
};

/** The doors to which a policy and a model are named, and what each of them is asked with first. */
const DOORS: readonly (readonly [name: string, open: (asked: Asked) => Promise<unknown>])[] = [
  ["chat", async (asked) => await createChatCompactor(asked).fit([hi])],
  ["anthropic", async (asked) => await createMessagesCompactor(asked).fit([hi])],
  ["responses", async (asked) => await createItemsCompactor(asked).fit([hi])],
  ["gemini", async (asked) => await createContentsCompactor(asked).fit([{ role: "user", parts: [{ text: "Hi" }] }])],
  ["agents", async (asked) => await createAgentItemsCompactor(asked).fit([hi])],
  ["ai-sdk", async (asked) => createCompactionMiddleware(asked)],
  ["langchain", async (asked) => createLangChainMiddleware(asked)],
  ["an Anthropic session", ({ model, ...own }) => createAnthropicSession({ ...own, request: { model, max_tokens: 8 } })],
  ["a chat session", ({ model, ...own }) => createChatSession({ ...own, request: { model } })],
  ["a responses session", ({ model, ...own }) => createResponsesSession({ ...own, request: { model } })],
  [
    "core",
    async ({ model, policy }) =>
      await createSession({ policy, summarizer: createDigest(), limitsOf: catalogLimits }).fit(
        { gate: "before-step", pending: [], model },
        new AbortController().signal,
      ),
  ],
  [
    "an agent",
    ({ model, policy }) =>
      startAgent({
        ...{ policy, limitsOf: catalogLimits, tools: [], artifacts: createMemoryArtifactStore(), nowMs: () => 0 },
        ...{ session: { kind: "new", sessionId: "s", system: "" }, sessions: createMemorySessionStore() },
        model: { client, modelId: model },
      }),
  ],
];

test.each(DOORS)("%s takes a policy and a model by their names", async (_, open) => {
  await expect(open({ policy: "plimsoll", model: "gpt-5.5" })).resolves.toBeDefined();
});

test.each(DOORS)("%s refuses the name of no policy with the nearest, and a misspelt model", async (_, open) => {
  await expect(open({ policy: "plimsol", model: "gpt-5.5" })).rejects.toMatchObject({ code: "bad-input", message: NEAR });
  const message = expect.stringContaining("give `limits`");
  await expect(open({ policy: "plimsoll", model: "gpt-5.55" })).rejects.toMatchObject({ code: "bad-input", message });
});

test.each(DOORS)("%s names definePolicy for changes of a preset", async (_, open) => {
  const policy: string = Object({ extends: "plimsoll", actAt: "60%" });
  const message = expect.stringContaining("give definePolicy({ … }) of them");
  await expect(open({ policy, model: "gpt-5.5" })).rejects.toMatchObject({ code: "bad-policy", message });
});

test.each([
  ["nothing", {}, "neither the request nor the options name a model: give `model`"],
  [
    "made-up kinds",
    Object({ kinds: { strategies: "mine" } }),
    "kinds: expected the kinds that withKinds({ … }) makes, received ",
  ],
  ["a model that the catalogue does not have", { model: "gpt-nosuch" }, 'the limits of the model "gpt-nosuch" are not known: '],
])("a drop-in with %s is told what to give", async (_, asked, message) => {
  const make = async () => await createChatCompactor({ policy: "plimsoll", ...asked }).fit([hi]);
  await expect(make()).rejects.toMatchObject({ code: "bad-input", message: expect.stringContaining(message) });
});

test.each(["gpt-6.2-sol", "claude-fable-5-2", "gpt-5.5", "gpt-4-turbo", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"])(
  "all that ask for the window of %s are told the same",
  async (modelId) => {
    const { limits } = await resolveModel({ reference: modelId, unknownWindow: "off" });
    expect(catalogLimits(modelId)?.contextWindowTokens).toBe(limits.contextWindowTokens);
    expect(MODEL_CATALOG.contextWindowOf(modelId)).toBe(limits.contextWindowTokens);
    expect(limits.contextWindowTokens).toBeGreaterThan(100_000);
  },
);

test.each([
  ["the longest one", "gpt-5-mini", null, 400_000],
  ["a short one", "gpt-5-mini", 2_000, 274_000],
  ["one of a model without a limit of prompts", "claude-sonnet-5-5", 2_000, 1_000_000],
])("beside %s no prompt is allowed that the vendor refuses", (_, modelId, askedTokens, windowTokens) => {
  expect(catalogLimits(modelId, askedTokens)?.contextWindowTokens).toBe(windowTokens);
});

test.each(["", "nosuch", "ollama/gpt-4o"])("nothing is known of the model %j", (modelId) => {
  expect(catalogLimits(modelId)).toBeNull();
});

test("the window of a model that the request names counts before that of the options", async () => {
  const compactor = createChatCompactor({ policy: "plimsoll", model: "gpt-5.5" });
  await compactor.fit([hi], { modelId: "gpt-4o" });
  expect(compactor.conversations().map(({ limits }) => limits?.contextWindowTokens)).toEqual([128_000]);
});

/** A conversation whose results are of so many characters together. */
function longChat(chars: number, command = "cat", word = "line"): OpenAI.ChatCompletionMessageParam[] {
  const results = Array.from({ length: 40 }, (_, at): readonly OpenAI.ChatCompletionMessageParam[] => [
    {
      role: "assistant",
      tool_calls: [{ id: `c${at}`, type: "function", function: { name: "bash", arguments: JSON.stringify({ command }) } }],
    },
    { role: "tool", tool_call_id: `c${at}`, content: `${word} ${at}\n`.repeat(chars / 40 / 7) },
  ]);
  return [hi, ...results.flat()];
}

const SMALL = { contextWindowTokens: 32_000, maxOutputTokens: 4_000 };

test.each([
  ["a short history", "plimsoll", SMALL, 1_000, "unchanged", /^at \d+ tokens no cut pays yet; it cuts at 28000 at the latest$/],
  ["one that is below a size", "opal", SMALL, 1_000, "unchanged", /^\d+ tokens are below the trigger of 25600$/],
  ["an unknown window", "sven", { ...SMALL, contextWindowTokens: null }, 1_000, "unchanged", /window is not known/],
  ["a policy that does nothing", "none", SMALL, 1_000, "unchanged", /the policy compacts nothing/],
  ["a long history", "plimsoll", SMALL, 300_000, "compacted", /^the request did not fit 28000 tokens: the cut frees \d+ of/],
] as const)("`last` says what became of %s", async (_, policy, limits, chars, kind, why) => {
  const compactor = createChatCompactor({ policy, limits });
  expect(compactor.last).toBeNull();
  const chat = [...longChat(chars), { role: "user", content: "And now? ".repeat(900) } as const];
  const sent = await compactor.fit(chat);
  const { last } = compactor;
  expect(last).toMatchObject({ kind, sessionId: compactor.sessionIdOf(sent), why: expect.stringMatching(why) });
  const whole = createChatCompactor({ policy, limits: { ...limits, contextWindowTokens: 9e6 } });
  expect(Math.abs((last?.tokensBefore ?? 0) - (whole.expectedTokens(await whole.fit(chat)) ?? 0))).toBeLessThanOrEqual(2);
  const isLess = (last?.tokensBefore ?? 0) > (last?.tokensAfter ?? 0);
  expect([isLess, (last?.replaced ?? []).length > 0]).toEqual([kind === "compacted", kind === "compacted"]);
});

test("`last` counts the choice of a keep rule of one's own", async () => {
  type Example = { readonly compactor: ReturnType<typeof createChatCompactor> };
  const { compactor } = await vi.importActual<Example>("../examples/keep-rule-loop.mjs");
  const messages = longChat(300_000, "npm test", "FAIL");
  const sent = new Set(await compactor.fit(messages));
  const kept = messages.filter((message) => message.role === "tool" && sent.has(message)).length;
  expect(kept).toBeGreaterThan(1);
  expect(compactor.last?.unkept).toEqual([`keep failed-tests: ${kept} of 40 kept, ${40 - kept} beyond its amount`]);
});

test("a keep rule that fails is warned of once if nobody listens, with its error", async () => {
  const thrown = new Error("not today");
  const choose = () => {
    throw thrown;
  };
  const schema = z.strictObject({ kind: z.literal("broken"), atMost: amountSchema });
  const broken = defineKeepRule({ kind: "broken", schema, rule: ({ atMost }) => ({ keeps: "messages", atMost, choose }) });
  const kinds = withKinds({ keepRules: [broken] });
  const policy = definePolicy({ keep: { broken: "8k" } }, kinds);
  const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
  const compactor = createChatCompactor({ policy, kinds, limits: SMALL });
  for (const chars of [300_000, 400_000]) await compactor.fit(longChat(chars));
  const named = { name: "PlimsollWarning", message: expect.stringContaining("keep broken failed: not today"), cause: thrown };
  expect(warn.mock.calls).toEqual([[expect.objectContaining({ ...named, detail: thrown.stack })]]);
});

const RESULT = "line\n".repeat(2_000);
const CALL: OpenAI.ChatCompletionMessageFunctionToolCall = {
  ...{ id: "c", type: "function" },
  function: { name: "read", arguments: "{}" },
};
const CAPPED = definePolicy({ cap: "500" });

/** The doors that cut a long result on arrival: their report, and a reader of handles. */
test.each<
  [string, (onEvent: (event: ContextEvent) => void) => Promise<readonly [FitReport | null, SdkSession<never, never>["recall"]]>]
>([
  [
    "a drop-in",
    async (onEvent) => {
      const compactor = createChatCompactor({ policy: CAPPED, limits: SMALL, onEvent });
      const items: OpenAI.ChatCompletionMessageParam[] = [
        hi,
        { role: "assistant", tool_calls: [CALL] },
        { role: "tool", tool_call_id: "c", content: RESULT },
      ];
      await compactor.fit(items);
      return [compactor.last, (handle, range) => compactor.recall(handle, range, items)];
    },
  ],
  [
    "a session",
    async (onEvent) => {
      const session = await createChatSession({ policy: CAPPED, limits: SMALL, request: { model: "gpt-5.5" }, onEvent });
      session.user("Hi");
      const message = { role: "assistant", content: null, refusal: null, tool_calls: [CALL] } as const;
      await session.send(async () =>
        Object({ id: "r", model: "m", choices: [{ index: 0, finish_reason: "tool_calls", message }] }),
      );
      session.result("c", RESULT);
      await session.request();
      return [session.last, session.recall];
    },
  ],
])("%s reports a result that it cut on arrival, and recalls it by a range of known keys", async (_, cut) => {
  const events: ContextEvent[] = [];
  const [last, recall] = await cut((event) => void events.push(event));
  const [replaced] = last?.replaced ?? [];
  const [handle = ""] = replaced !== undefined && "handles" in replaced ? replaced.handles : [];
  const chars = expect.any(Number);
  expect(last).toMatchObject({ kind: "unchanged", replaced: [{ by: "cap", parts: 1, chars, handles: [handle] }] });
  expect(events).toContainEqual({ type: "result-cut", toolName: "read", handle, chars });
  expect(await recall(handle, {})).toEqual({ text: RESULT, startChar: 0, totalChars: RESULT.length });
  expect(await recall(handle, { startChar: 5, maximumChars: 4 })).toMatchObject({ text: "line", startChar: 5 });
  await expect(recall(handle, Object({ fromLine: 1 }))).rejects.toThrow(
    'unknown key "fromLine": known: startChar, maximumChars',
  );
});

test("`last` calls summaries without a model a digest, and an event says why", async () => {
  const whys: string[] = [];
  const onEvent = (event: ContextEvent) => void whys.push("why" in event ? event.why : event.type);
  const compactor = createChatCompactor({ policy: "pi", limits: SMALL, onEvent });
  await compactor.fit(longChat(300_000));
  expect(compactor.last?.replaced).toContainEqual(expect.objectContaining({ by: "digest" }));
  await createChatSession({ policy: "pi", request: { model: "gpt-5.5" }, onEvent });
  const missing = "no summarizer is given, so quotations from the log stand in for its summaries";
  expect(whys.filter((why) => why === missing)).toHaveLength(2);
});

test("a keep rule that changes its list is named, and changes nothing", async () => {
  const rule = defineKeepRule({
    kind: "changing",
    schema: z.strictObject({ kind: z.literal("changing"), atMost: amountSchema }),
    rule: ({ atMost }) => ({ keeps: "messages", atMost, choose: ({ messages }) => Array.prototype.reverse.call(messages) }),
  });
  const kinds = withKinds({ keepRules: [rule] });
  const policy = definePolicy({ keep: { changing: "10%" } }, kinds);
  const plain = await createChatCompactor({ policy: "plimsoll", limits: SMALL }).fit(longChat(300_000));
  const compactor = createChatCompactor({ policy, kinds, limits: SMALL });
  expect(await compactor.fit(longChat(300_000))).toEqual(plain);
  expect(compactor.last?.unkept).toEqual([expect.stringMatching(/^keep changing failed: Cannot assign to read only/)]);
});

test("`last` names what cannot fit, also if that is thrown", async () => {
  const compactor = createChatCompactor({ policy: "plimsoll", limits: SMALL });
  await expect(compactor.fit([{ role: "user", content: "word ".repeat(60_000) }])).rejects.toThrow("cannot be made to fit");
  expect(compactor.last).toMatchObject({ kind: "irreducible", why: expect.stringContaining("the person's last message") });
});

test.each([
  [60_000, 32_000, "resulted in 70000 tokens", /: \d+ for system text, .* message$/, 6],
  [20_000, 1_000_000, "input length and `max_tokens` exceed context limit: 29000 + 4000 > 32000", /^29000 tokens /, 1],
])("events and `last` say what was refused: %s words of %s", async (words, contextWindowTokens, message, why, events) => {
  const onEvent = vi.fn();
  const compactor = createChatCompactor({ policy: "plimsoll", limits: { ...SMALL, contextWindowTokens }, onEvent });
  const error = refusal(400, { message, code: "context_length_exceeded" });
  const call = vi.fn(async () => Object({})).mockRejectedValueOnce(error);
  await compactor.send([{ role: "user", content: "word ".repeat(words) }], call, { onReply: vi.fn() }).catch(() => null);
  expect([compactor.last?.why, onEvent.mock.calls.length]).toEqual([expect.stringMatching(why), events]);
});

test("a session says the same of its newest request", async () => {
  const session = await createChatSession({ request: { model: "gpt-5.5" } });
  expect(session.last).toBeNull();
  session.user("Hi");
  await session.request();
  expect(session.last).toMatchObject({ kind: "unchanged", why: expect.stringContaining("pays yet") });
});
