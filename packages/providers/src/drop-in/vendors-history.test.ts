import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { type ContextEvent, NONE_POLICY, PLIMSOLL_POLICY } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { type KeptName, stepItems } from "../../testing/item-forms.ts";
import { COMPACTORS } from "../../testing/kept-items.ts";
import { createResponsesSession } from "../openai-responses/index.ts";
import { createCompactionMiddleware } from "./ai-sdk-middleware.ts";
import { createLangChainMiddleware } from "./langchain.ts";
import { createCompactingModel } from "./openai-agents.ts";
import { type CompactorOptions, LONE_RESULTS } from "./request.ts";

const LIMITS = { contextWindowTokens: 16_000, maxOutputTokens: 1_000 };
/** Far more than the window: none of it is in what was sent. */
const KEPT_TOKENS = 40_000;

/** Sends a part of a history that the vendor keeps so often, and gives what went out. */
type Door = (options: CompactorOptions) => (index: number) => Promise<unknown>;

const asked = (name: KeptName, itemOf: (index: number) => unknown, answer: object): Door => {
  return (options) => {
    const compactor = COMPACTORS[name](options);
    return async (index) => {
      let out: unknown = null;
      const call = async (items: readonly object[]) => {
        out = items;
        return answer as never;
      };
      await compactor.send([Object(itemOf(index))], call);
      expect(await compactor.fit([Object(itemOf(index))])).toEqual(out);
      return out;
    };
  };
};
/** Sends the newest results alone. */
const lone = (name: KeptName, answer: object): Door =>
  asked(name, (index) => stepItems(name, { id: `c${index}`, name: "shell", result: "one file" }).at(-1), answer);

const usage = { prompt_tokens: KEPT_TOKENS, input_tokens: KEPT_TOKENS, output_tokens: 5, completion_tokens: 5 };
const responsesAnswer = { id: "r", model: "m", usage };
const chatAnswer = { id: "r", model: "m", usage, choices: [] };
const said = (index: number) => ({ role: "user", content: `Step ${index}` }) as const;
const prompt = [{ role: "user", content: [{ type: "text", text: "Go on." }] }];

const agents = (more: object): Door => {
  return (options) => {
    let out: unknown = null;
    const getResponse = async ({ input }: { readonly input: unknown }) => {
      out = input;
      return { usage: { inputTokens: KEPT_TOKENS, outputTokens: 5 }, output: [] };
    };
    const model = Reflect.apply(createCompactingModel, undefined, [{ getResponse, getStreamedResponse: getResponse }, options]);
    const request = { input: "Go on.", modelSettings: {}, tools: [], handoffs: [], ...more };
    return async () => {
      await model.getResponse(request);
      await model.getStreamedResponse(request);
      return out;
    };
  };
};
const sdk = (wrap: "wrapGenerate" | "wrapStream"): Door => {
  return (options) => {
    const middleware = createCompactionMiddleware(options);
    return async () => {
      let out: unknown = null;
      const doGenerate = async (given: { readonly prompt: unknown }) => {
        out = given.prompt;
        return { usage: {} };
      };
      const model = { modelId: "m", provider: "openai.responses", doGenerate, doStream: doGenerate };
      const params = { prompt, providerOptions: { openai: { previousResponseId: "r" } } };
      await Reflect.apply(middleware[wrap], undefined, [{ model, params }]);
      return out;
    };
  };
};
const langChain =
  (more: object): Door =>
  (options) => {
    const { wrapModelCall } = createLangChainMiddleware(options);
    return async () => {
      let out: unknown = null;
      const handler = async ({ messages }: { readonly messages: unknown }) => {
        out = messages;
        return new AIMessage("I look");
      };
      const call = { messages: [new HumanMessage("Go on.")], tools: [], model: {}, runtime: {} };
      await Reflect.apply(wrapModelCall ?? handler, undefined, [{ ...call, ...more }, handler]);
      return out;
    };
  };

const DOORS: readonly (readonly [string, string, Door])[] = [
  [
    "Responses, by its answer",
    "previous_response_id",
    asked("openai-responses", said, { ...responsesAnswer, previous_response_id: "q" }),
  ],
  [
    "Responses in a conversation",
    "conversation",
    asked("openai-responses", said, { ...responsesAnswer, conversation: { id: "c" } }),
  ],
  ["Responses", LONE_RESULTS, lone("openai-responses", responsesAnswer)],
  ["Chat Completions", LONE_RESULTS, lone("openai-chat", chatAnswer)],
  ["Messages", LONE_RESULTS, lone("anthropic", responsesAnswer)],
  ["Gemini", LONE_RESULTS, lone("gemini", {})],
  ["the AI SDK's prompts", LONE_RESULTS, lone("ai-sdk", {})],
  ["LangChain's messages", LONE_RESULTS, lone("langchain", new AIMessage("I look"))],
  ["Agents' items", LONE_RESULTS, lone("agents", { usage: { inputTokens: KEPT_TOKENS } })],
  ["an Agents model", "previousResponseId", agents({ previousResponseId: "r" })],
  ["an Agents model in a conversation", "conversationId", agents({ conversationId: "c" })],
  [
    "an Agents model's own fields",
    "previous_response_id",
    agents({ modelSettings: { providerData: { previous_response_id: "r" } } }),
  ],
  ["an AI SDK model", "previousResponseId", sdk("wrapGenerate")],
  ["an AI SDK model that streams", "previousResponseId", sdk("wrapStream")],
  ["a LangChain model", "previous_response_id", langChain({ modelSettings: { previous_response_id: "r" } })],
  ["a LangChain model's own fields", "conversation", langChain({ model: { modelKwargs: { conversation: "c" } } })],
];

describe("a history that the vendor keeps", () => {
  test.each(DOORS)("through %s passes, and is told of once: %s", async (_, named, open) => {
    const events: ContextEvent[] = [];
    const ask = open({ policy: PLIMSOLL_POLICY, limits: LIMITS, onEvent: (event) => events.push(event) });
    for (const index of [1, 2, 3]) expect(await ask(index)).not.toBeNull();
    expect(events).toEqual([{ type: "compaction-off", why: "vendors-history", named }]);
  });

  test.each(DOORS)("through %s passes without a word if compaction is off", async (_, _named, open) => {
    const events: ContextEvent[] = [];
    await open({ policy: NONE_POLICY, limits: LIMITS, onEvent: (event) => events.push(event) })(1);
    expect(events).toEqual([]);
  });

  test.each<[string, unknown]>([
    ["previous_response_id", "r"],
    ["conversation", "r"],
    ["store", true],
    ["store", undefined],
    ["include", []],
    ["instructions", null],
  ])("is refused by a session, which sends it whole: %s %j", async (key, value) => {
    const options = { policy: PLIMSOLL_POLICY, limits: LIMITS, request: { model: "m", [key]: value } };
    await expect(createResponsesSession(options)).rejects.toMatchObject({ code: "bad-input", details: { key } });
  });

  test("is none for a session that is passed its own values", async () => {
    const own = { store: false, include: ["reasoning.encrypted_content"], previous_response_id: null, conversation: null };
    const session = await createResponsesSession({ policy: PLIMSOLL_POLICY, limits: LIMITS, request: { model: "m", ...own } });
    session.user("Go on.");
    expect(await session.request()).toMatchObject(own);
  });
});
