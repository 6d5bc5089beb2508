import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { startAgent } from "@plimsoll/agent";
import { createDigest, createMemoryArtifactStore, type ModelClient } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { createMemorySessionStore } from "@plimsoll/stores";
import { generateText, jsonSchema, type LanguageModel, type ModelMessage, stepCountIs, tool, wrapLanguageModel } from "ai";
import OpenAI from "openai";
import { createAnthropicClient } from "../src/anthropic/client.ts";
import { type AnthropicSession, createAnthropicSession } from "../src/anthropic/session.ts";
import { isBoundReasoning } from "../src/catalog/bound-reasoning.ts";
import { createCompactionMiddleware } from "../src/drop-in/ai-sdk.ts";
import { createMessagesCompactor } from "../src/drop-in/anthropic.ts";
import { createChatCompactor } from "../src/drop-in/openai-chat.ts";
import { createItemsCompactor } from "../src/drop-in/openai-responses.ts";
import { createOpenAiChatClient } from "../src/openai-chat/client.ts";
import { CHAT_HOSTS, type ChatHost, OPENAI_HOST } from "../src/openai-chat/hosts.ts";
import { createOpenAiResponsesClient } from "../src/openai-responses/client.ts";
import { fetchBehindProxy } from "./fetch-behind-proxy.ts";
import type { MatrixColumn, MatrixGame, Thinking } from "./matrix-game.ts";
import { declaration, fileText, pathIn, question, READ_TOOL, readFileTool, SYSTEM } from "./matrix-script.ts";
import { proxyInMemory } from "./proxy-in-memory.ts";

const MAXIMUM_OUTPUT_TOKENS = 2_048;
const BUDGET_TOKENS = 1_024;
const CLAUDE = "claude-opus-4-5";
const BINDING_CLAUDE = "claude-fable-5-2";
const claudeFor = (thinking: Thinking) => (thinking === "bound" ? BINDING_CLAUDE : CLAUDE);
const environment = { ANTHROPIC_API_KEY: "key", OPENAI_API_KEY: "key", MISTRAL_API_KEY: "key" };
const MISTRAL = CHAT_HOSTS.find(({ name }) => name === "mistral") ?? OPENAI_HOST;

const limitsOf = ({ windowTokens }: MatrixGame) => ({
  contextWindowTokens: windowTokens,
  maxOutputTokens: MAXIMUM_OUTPUT_TOKENS,
});

const proxyOf = (game: MatrixGame) =>
  proxyInMemory({
    ...{ policy: game.policy, limits: limitsOf(game) },
    onProblem: (line) => {
      throw new Error(line);
    },
  });

/** Our own loop, over one of our own clients. */
async function playAgent(game: MatrixGame, client: ModelClient, modelId: string): Promise<void> {
  const agent = await startAgent({
    session: { kind: "new", sessionId: "matrix", system: SYSTEM },
    sessions: createMemorySessionStore(),
    artifacts: createMemoryArtifactStore(),
    model: { client, modelId, limits: limitsOf(game) },
    policy: game.policy,
    summarizer: createDigest(),
    tools: [readFileTool(fileText)],
    nowMs: () => 0,
    isBoundReasoning,
    // Another branch every few steps.
    dynamicContext: () => `branch ${Math.floor(game.replied() / 5)}`,
  });
  for (let turn = 0; game.replied() < game.steps; turn++) {
    const outcome = await agent.submit(question(turn));
    if (outcome.error !== null) throw outcome.error;
  }
  await agent.close();
}

/** Thinking as the vendor's own parameter: a budget, or by the model's own choice. */
function thinkingOf(thinking: Thinking): { thinking?: Anthropic.ThinkingConfigParam } {
  if (thinking === "off") return {};
  return { thinking: thinking === "on" ? { type: "enabled", budget_tokens: BUDGET_TOKENS } : { type: "adaptive" } };
}

const anthropicClient = (thinking: Thinking) => (game: MatrixGame) =>
  playAgent(
    game,
    createAnthropicClient({ environment, baseUrl: game.simulator.url, ...thinkingOf(thinking) }),
    claudeFor(thinking),
  );

const chatClient = (host: ChatHost) => (game: MatrixGame) =>
  playAgent(game, createOpenAiChatClient({ environment, host, baseUrl: game.simulator.openAiUrl }), "a-model");

const gptFor = (thinking: Thinking) => (thinking === "bound" ? "gpt-6.2-sol" : "gpt-5");

const responsesClient = (thinking: Thinking) => (game: MatrixGame) =>
  playAgent(game, createOpenAiResponsesClient({ environment, baseUrl: game.simulator.openAiUrl }), gptFor(thinking));

/** Whether a program's array is fitted by a drop-in, or goes out as it is and is fitted by the proxy. */
type Through = "drop-in" | "proxy";

/** A tool's result. A program whose array no drop-in mends sends no half characters: without the proxy it would be refused, too. */
const resultOf = (through: Through, path: string) => (through === "proxy" ? fileText(path).toWellFormed() : fileText(path));

/** Sends arrays as they are. */
const AS_IT_IS = {
  send: async <Item, Answer>(items: readonly Item[], call: (items: Item[]) => PromiseLike<Answer>): Promise<Answer> =>
    await call([...items]),
};

const messagesDropIn =
  (thinking: Thinking, through: Through = "drop-in") =>
  async (game: MatrixGame) => {
    const sdk = new Anthropic({
      apiKey: "key",
      baseURL: game.simulator.url,
      maxRetries: 0,
      fetch: through === "drop-in" ? fetch : fetchBehindProxy(proxyOf(game)),
    });
    const { policy } = game;
    const compactor: Pick<ReturnType<typeof createMessagesCompactor>, "send"> = through === "proxy"
      ? AS_IT_IS
      : createMessagesCompactor({ policy, limits: limitsOf(game) });
    const tools = [{ name: READ_TOOL.name, description: READ_TOOL.description, input_schema: READ_TOOL.parameters }];
    const messages: Anthropic.MessageParam[] = [];
    const settings: Omit<Anthropic.MessageCreateParamsNonStreaming, "messages"> = {
      model: claudeFor(thinking),
      max_tokens: MAXIMUM_OUTPUT_TOKENS,
      system: SYSTEM,
      tools: tools.map((each) => ({ ...each, input_schema: { ...each.input_schema } })),
      ...thinkingOf(thinking),
    };
    for (let turn = 0; game.replied() < game.steps; turn++) {
      messages.push({ role: "user", content: question(turn) });
      // Older models take no system message in the middle.
      const declared = thinking === "bound" ? declaration(turn) : null;
      if (declared !== null) messages.push({ role: "system", content: declared });
      for (;;) {
        const reply = await compactor.send(messages, (fitted) => sdk.messages.create({ ...settings, messages: fitted }));
        messages.push({ role: "assistant", content: reply.content });
        const calls = reply.content.filter((block) => block.type === "tool_use");
        if (calls.length === 0) break;
        messages.push({
          role: "user",
          content: calls.map(({ id, input }) => ({
            type: "tool_result",
            tool_use_id: id,
            content: resultOf(through, pathIn(input)),
          })),
        });
      }
    }
  };

/** A loop of one's own over our session. */
async function messagesSession(game: MatrixGame): Promise<void> {
  const sdk = new Anthropic({ apiKey: "key", baseURL: game.simulator.url, maxRetries: 0 });
  const { name, description, parameters } = READ_TOOL;
  const tools: Anthropic.Tool[] = [{ name, description, input_schema: { ...parameters } }];
  const request = { model: BINDING_CLAUDE, max_tokens: MAXIMUM_OUTPUT_TOKENS, tools, ...thinkingOf("bound") };
  const session = await createAnthropicSession({ request, system: SYSTEM, policy: game.policy, limits: limitsOf(game) });
  for (let turn = 0; game.replied() < game.steps; turn++) {
    session.user(question(turn));
    do {
      await session.send((asked) => sdk.messages.create(asked));
      for (const { callId, argumentsJson } of session.calls) session.result(callId, fileText(pathIn(argumentsJson)));
    } while ((await lastRole(session)) === "tool-result");
  }
  await session.close();
}

/** The last speaker, once all messages are in the log. */
export async function lastRole({ conversation }: AnthropicSession): Promise<string | null> {
  return await conversation.inTurn(async () => conversation.view().messages.at(-1)?.role ?? null);
}

const openAiSdk = (through: Through, game: MatrixGame) =>
  new OpenAI({
    apiKey: "key",
    baseURL: game.simulator.openAiUrl,
    maxRetries: 0,
    fetch: through === "drop-in" ? fetch : fetchBehindProxy(proxyOf(game)),
  });

const chatDropIn =
  (host: ChatHost, through: Through = "drop-in") =>
  async (game: MatrixGame) => {
    const sdk = openAiSdk(through, game);
    const { policy } = game;
    const compactor: Pick<ReturnType<typeof createChatCompactor>, "send"> = through === "proxy"
      ? AS_IT_IS
      : createChatCompactor({ policy, limits: limitsOf(game), quirks: host.quirks });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "system", content: SYSTEM }];
    for (let turn = 0; game.replied() < game.steps; turn++) {
      const declared = host.quirks.roles === "any" ? declaration(turn) : null;
      if (declared !== null) messages.push({ role: "developer", content: declared });
      messages.push({ role: "user", content: question(turn) });
      for (;;) {
        const { choices } = await compactor.send(messages, (fitted) =>
          sdk.chat.completions.create({
            model: "a-model",
            max_tokens: MAXIMUM_OUTPUT_TOKENS,
            tools: [{ type: "function", function: { ...READ_TOOL, parameters: { ...READ_TOOL.parameters } } }],
            messages: fitted,
          }),
        );
        const reply = choices[0]?.message;
        if (reply === undefined) throw new Error("a completion has a choice");
        messages.push(reply);
        const calls = reply.tool_calls ?? [];
        if (calls.length === 0) break;
        for (const call of calls)
          messages.push({
            role: "tool",
            tool_call_id: call.id,
            content: resultOf(through, call.type === "function" ? pathIn(call.function.arguments) : ""),
          });
      }
    }
  };

const addedTools = (tool: OpenAI.Responses.Tool): OpenAI.Responses.ResponseInputItem.AdditionalTools => {
  return { type: "additional_tools", role: "developer", tools: [tool] };
};

const responsesDropIn =
  (thinking: Thinking, through: Through = "drop-in") =>
  async (game: MatrixGame) => {
    const sdk = openAiSdk(through, game);
    const { policy } = game;
    const compactor: Pick<ReturnType<typeof createItemsCompactor>, "send"> = through === "proxy"
      ? AS_IT_IS
      : createItemsCompactor({ policy, limits: limitsOf(game) });
    const read = { type: "function", strict: false, ...READ_TOOL, parameters: { ...READ_TOOL.parameters } } as const;
    // As Codex does with the newest models: everything that is declared is an item.
    const isOfItems = thinking === "bound";
    const opening = isOfItems ? [addedTools(read), { role: "developer" as const, content: SYSTEM }] : [];
    const items: OpenAI.Responses.ResponseInputItem[] = opening;
    for (let turn = 0; game.replied() < game.steps; turn++) {
      const declared = declaration(turn);
      if (declared !== null) items.push({ role: "developer", content: declared });
      if (declared !== null && isOfItems) items.push(addedTools({ ...read, name: `read_${turn}` }));
      items.push({ role: "user", content: question(turn) });
      for (;;) {
        const { output } = await compactor.send(items, (input) =>
          sdk.responses.create({
            model: gptFor(thinking),
            ...(isOfItems ? {} : { instructions: SYSTEM, tools: [read] }),
            max_output_tokens: MAXIMUM_OUTPUT_TOKENS,
            store: false,
            include: ["reasoning.encrypted_content"],
            input,
          }),
        );
        for (const item of output)
          if (item.type === "message" || item.type === "reasoning" || item.type === "function_call") items.push(item);
        const calls = output.filter((item) => item.type === "function_call");
        if (calls.length === 0) break;
        for (const call of calls)
          items.push({
            type: "function_call_output",
            call_id: call.call_id,
            output: resultOf(through, pathIn(call.arguments)),
          });
      }
    }
  };

/** How the AI SDK's agent is set up, apart from its model and messages. */
interface AiSdkSettings {
  readonly model: LanguageModel;
  readonly thinking: Thinking;
}

function aiSdkTools() {
  return {
    [READ_TOOL.name]: tool({
      description: READ_TOOL.description,
      inputSchema: jsonSchema({ ...READ_TOOL.parameters, properties: { path: { type: "string" } } }),
      execute: (input: unknown) => fileText(isRecord(input) ? pathIn(input) : ""),
    }),
  };
}

function aiSdkThinking(thinking: "on" | "bound") {
  return thinking === "on" ? ({ type: "enabled", budgetTokens: BUDGET_TOKENS } as const) : ({ type: "adaptive" } as const);
}

async function playAiSdk(game: MatrixGame, { model, thinking }: AiSdkSettings): Promise<void> {
  const messages: ModelMessage[] = [];
  for (let turn = 0; game.replied() < game.steps; turn++) {
    messages.push({ role: "user", content: question(turn) });
    const { response } = await generateText({
      model,
      system: SYSTEM,
      messages,
      maxOutputTokens: MAXIMUM_OUTPUT_TOKENS - (thinking === "on" ? BUDGET_TOKENS : 0),
      maxRetries: 0,
      stopWhen: stepCountIs(game.steps),
      tools: aiSdkTools(),
      ...(thinking === "off" ? {} : { providerOptions: { anthropic: { thinking: aiSdkThinking(thinking) } } }),
    });
    messages.push(...response.messages);
  }
}

const claudeOf = ({ simulator }: MatrixGame, thinking: Thinking) =>
  createAnthropic({ apiKey: "key", baseURL: `${simulator.url}/v1` })(claudeFor(thinking));

const compatibleOf = ({ simulator }: MatrixGame) =>
  createOpenAICompatible({ name: "served", apiKey: "key", baseURL: simulator.openAiUrl })("a-model");

const middlewareOver = (modelOf: typeof claudeOf | typeof compatibleOf, thinking: Thinking) => (game: MatrixGame) => {
  const middleware = createCompactionMiddleware({ policy: game.policy, limits: limitsOf(game) });
  return playAiSdk(game, { model: wrapLanguageModel({ model: modelOf(game, thinking), middleware }), thinking });
};

/** The ways to reach a model that are played alike with thinking on and off. */
function columnsWith(thinking: "on" | "off"): readonly MatrixColumn[] {
  const recovering = { thinking, roles: "any", tokenFactorRatio: 1.3 } as const;
  const inTurn = { ...recovering, roles: "alternate" } as const;
  return [
    { ...recovering, sdk: "own client", wire: "anthropic", play: anthropicClient(thinking) },
    { ...recovering, sdk: "own client", wire: "openai-responses", play: responsesClient(thinking) },
    { ...recovering, sdk: "own client", wire: "openai-chat", play: chatClient(OPENAI_HOST) },
    { ...inTurn, sdk: "own client", wire: "openai-chat", play: chatClient(MISTRAL) },
    { ...recovering, sdk: "@anthropic-ai/sdk", wire: "anthropic", play: messagesDropIn(thinking) },
    { ...recovering, sdk: "openai", wire: "openai-responses", play: responsesDropIn(thinking) },
    { ...recovering, sdk: "openai", wire: "openai-chat", play: chatDropIn(OPENAI_HOST) },
    { ...inTurn, sdk: "openai", wire: "openai-chat", play: chatDropIn(MISTRAL) },
    { ...recovering, sdk: "proxy", wire: "anthropic", play: messagesDropIn(thinking, "proxy") },
    { ...recovering, sdk: "proxy", wire: "openai-responses", play: responsesDropIn(thinking, "proxy") },
    { ...recovering, sdk: "proxy", wire: "openai-chat", play: chatDropIn(OPENAI_HOST, "proxy") },
    { ...inTurn, sdk: "proxy", wire: "openai-chat", play: chatDropIn(MISTRAL, "proxy") },
    { ...recovering, sdk: "AI SDK, middleware", wire: "anthropic", play: middlewareOver(claudeOf, thinking) },
    { ...inTurn, sdk: "AI SDK, middleware", wire: "openai-chat", play: middlewareOver(compatibleOf, thinking) },
  ];
}

/** Ways to reach a model that takes its thinking back only with an unchanged prefix: Anthropic's refuses it elsewhere, OpenAI's is not shown it. */
export const BOUND_COLUMNS: readonly MatrixColumn[] = [
  ...[
    { sdk: "own client", play: anthropicClient("bound") },
    { sdk: "session", play: messagesSession },
    { sdk: "@anthropic-ai/sdk", play: messagesDropIn("bound") },
    { sdk: "proxy", play: messagesDropIn("bound", "proxy") },
    { sdk: "AI SDK, middleware", play: middlewareOver(claudeOf, "bound") },
  ].map((each) => ({ ...each, wire: "anthropic", thinking: "bound", roles: "any", tokenFactorRatio: 1 }) as const),
  ...[
    { sdk: "own client", play: responsesClient("bound") },
    { sdk: "openai", play: responsesDropIn("bound") },
    { sdk: "proxy", play: responsesDropIn("bound", "proxy") },
  ].map((each) => ({ ...each, wire: "openai-responses", thinking: "bound", roles: "any", tokenFactorRatio: 1.3 }) as const),
];

/** Every way to reach a model that thinks or does not; its thinking is bound to nothing. */
export const MATRIX_COLUMNS: readonly MatrixColumn[] = [...columnsWith("off"), ...columnsWith("on")];
