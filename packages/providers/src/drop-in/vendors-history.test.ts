import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { type ContextEvent, NONE_POLICY, PLIMSOLL_POLICY } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { createResponsesSession } from "../openai-responses/index.ts";
import { createCompactionMiddleware, PROMPTS } from "./ai-sdk-middleware.ts";
import { createMessagesCompactor } from "./anthropic.ts";
import { type ArrayCompactor, createArrayCompactor } from "./array-compactor.ts";
import { createContentsCompactor } from "./google-genai.ts";
import { createLangChainMiddleware } from "./langchain.ts";
import { LANGCHAIN_MESSAGES } from "./langchain-messages.ts";
import { createAgentItemsCompactor, createCompactingModel } from "./openai-agents.ts";
import { createChatCompactor } from "./openai-chat.ts";
import { createItemsCompactor } from "./openai-responses.ts";
import type { CompactorOptions } from "./request.ts";

const LIMITS = { contextWindowTokens: 16_000, maxOutputTokens: 1_000 };
/** Far more than the window: none of it is in what was sent. */
const KEPT_TOKENS = 40_000;

/** Sends a part of a history that the vendor keeps so often, and gives what went out. */
type Door = (options: CompactorOptions) => (index: number) => Promise<unknown>;

const asked = <Item, Answer>(
  open: (options: CompactorOptions) => ArrayCompactor<Item, Answer>,
  itemOf: (index: number) => Item,
  answer: object,
): Door => {
  return (options) => {
    const compactor = open(options);
    return async (index) => {
      let out: unknown = null;
      const call = async (items: readonly Item[]) => {
        out = items;
        return answer;
      };
      await Reflect.apply(compactor.send, undefined, [[itemOf(index)], call]);
      expect(await compactor.fit([itemOf(index)])).toEqual(out);
      return out;
    };
  };
};

const usage = { prompt_tokens: KEPT_TOKENS, input_tokens: KEPT_TOKENS, output_tokens: 5, completion_tokens: 5 };
const responsesAnswer = { id: "r", model: "m", usage };
const chatAnswer = { id: "r", model: "m", usage, choices: [] };
const said = (index: number) => ({ role: "user", content: `Step ${index}` }) as const;
const output = (index: number) => ({ type: "function_call_output", call_id: `c${index}`, output: "one file" }) as const;
const functionResponse = (index: number) => ({ id: `c${index}`, name: "shell", response: { output: "one file" } });
const block = (index: number) => ({ type: "tool_result", tool_use_id: `c${index}`, content: "one file" }) as const;
const agentItem = (index: number) =>
  ({ type: "function_call_result", callId: `c${index}`, name: "shell", status: "completed", output: "one file" }) as const;
const toolPart = (index: number) =>
  ({ type: "tool-result", toolCallId: `c${index}`, toolName: "shell", output: { type: "text", value: "one file" } }) as const;
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
    asked(createItemsCompactor, said, { ...responsesAnswer, previous_response_id: "q" }),
  ],
  [
    "Responses in a conversation",
    "conversation",
    asked(createItemsCompactor, said, { ...responsesAnswer, conversation: { id: "c" } }),
  ],
  ["Responses", "results without their calls", asked(createItemsCompactor, output, responsesAnswer)],
  [
    "Chat Completions",
    "results without their calls",
    asked(createChatCompactor, (at) => ({ role: "tool" as const, tool_call_id: `c${at}`, content: "x" }), chatAnswer),
  ],
  [
    "Messages",
    "results without their calls",
    asked(createMessagesCompactor, (at) => ({ role: "user" as const, content: [block(at)] }), responsesAnswer),
  ],
  [
    "Gemini",
    "results without their calls",
    asked(createContentsCompactor, (at) => ({ role: "user", parts: [{ functionResponse: functionResponse(at) }] }), {}),
  ],
  [
    "the AI SDK's prompts",
    "results without their calls",
    asked(
      (options) => createArrayCompactor(PROMPTS, options),
      (at) => ({ role: "tool" as const, content: [toolPart(at)] }),
      {},
    ),
  ],
  [
    "LangChain's messages",
    "results without their calls",
    asked(
      (options) => createArrayCompactor(LANGCHAIN_MESSAGES, options),
      (at) => new ToolMessage({ content: "x", tool_call_id: `c${at}` }),
      new AIMessage("I look"),
    ),
  ],
  [
    "Agents' items",
    "results without their calls",
    asked(createAgentItemsCompactor, agentItem, { usage: { inputTokens: KEPT_TOKENS } }),
  ],
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
