import type { AgentInputItem, Model, ModelRequest } from "@openai/agents-core";
import { usageOf } from "@plimsoll/core";
import { refuseUnsupported } from "../client/supported.ts";
import { jsonValueOf, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { toolSpecsOf } from "../wire/tools.ts";
import {
  agentItemKind,
  changedItems,
  changedResult,
  changedSaid,
  contentParts,
  ITEM_TURNS,
  isModels,
  itemDrafts,
  itemOf,
  rawItem,
  withoutId,
} from "./agent-items.ts";
import { type ArrayCompactor, type ArrayRequest, createArrayCompactor } from "./array-compactor.ts";
import { type CompactorOptions, vendorHistoryIn } from "./request.ts";
import { declaredBy, type WireArray } from "./wire-array.ts";
import { createWrapper, type Offered } from "./wrapper.ts";

type StreamEvent = ReturnType<Model["getStreamedResponse"]> extends AsyncIterable<infer Event> ? Event : never;

/** Options of a compacting model. */
export interface CompactingModelOptions extends CompactorOptions {
  /** Names the conversation of a request, by a session's id, say; if `null` or left out, the messages identify it. */
  readonly conversation?: (request: ModelRequest) => string | null;
}

/**
 * Compacts your own whole array of the SDK's items.
 *
 * @throws PlimsollError `bad-input` if the SDK is installed in an unsupported version.
 */
export function createAgentItemsCompactor(options: CompactorOptions): ArrayCompactor<AgentInputItem, unknown> {
  refuseUnsupported("@openai/agents-core");
  return createArrayCompactor(AGENT_ITEMS, options);
}

/**
 * Wraps a model so that it gets compacted input; agents, sessions and handoffs need no change, and a session stays whole. If the provider says that a prompt does not
 * fit, it compacts further and sends again, as often as the policy allows. A request whose history is at the vendor (`previousResponseId`, `conversationId`) is only
 * redacted: it has no array to compact, and the first one causes the event `compaction-off`.
 */
export function createCompactingModel(model: Model, options: CompactingModelOptions): Model & Offered<AgentInputItem> {
  const wrapper = createWrapper(AGENT_ITEMS, ["@openai/agents-core"], options);
  const { compactor, offered, keyOf, noteVendors, hidden, replyFacts } = wrapper;
  const isAtVendor = (request: ModelRequest) => {
    const named = vendorHistoryIn(request) ?? vendorHistoryIn(request.modelSettings.providerData);
    if (named !== null) noteVendors(named, keyOf(request));
    return named !== null;
  };
  const factsOf = (request: ModelRequest, reply: Reply): ArrayRequest<unknown> => {
    const key = keyOf(request);
    const { systemInstructions: system, signal, modelSettings, tools, handoffs } = request;
    const modelId = stringAt(model, "_model") ?? stringAt(model, "model");
    const asked = replyFacts(modelSettings.maxTokens, (tokens) => {
      reply.maxTokens = tokens;
    });
    return {
      ...asked,
      ...(system === undefined ? {} : { system }),
      tools: toolSpecsOf([
        ...tools,
        ...handoffs.map((to) => ({ name: to.toolName, description: to.toolDescription, parameters: to.inputJsonSchema })),
      ]),
      ...(modelId === null ? {} : { modelId }),
      ...(key === null ? {} : { conversation: key }),
      ...(signal === undefined ? {} : { signal }),
    };
  };
  const compacting: Model = {
    ...(model.getRetryAdvice === undefined ? {} : { getRetryAdvice: model.getRetryAdvice.bind(model) }),
    getResponse: async (request) => {
      if (isAtVendor(request)) return await model.getResponse({ ...request, input: hidden(request.input) });
      const reply: Reply = {};
      const call = (input: AgentInputItem[]) => model.getResponse(requestWith(request, input, reply));
      return await compactor.send(itemsIn(request), call, factsOf(request, reply));
    },
    async *getStreamedResponse(request) {
      const reply: Reply = {};
      yield* isAtVendor(request)
        ? model.getStreamedResponse({ ...request, input: hidden(request.input) })
        : streamed(model, request, { compactor, facts: factsOf(request, reply), reply });
    },
  };
  return Object.assign(offered, compacting);
}

type Reply = { maxTokens?: number };

function requestWith(request: ModelRequest, input: AgentInputItem[], reply: Reply): ModelRequest {
  return { ...request, input, modelSettings: { ...request.modelSettings, ...reply } };
}

function itemsIn({ input }: ModelRequest): readonly AgentInputItem[] {
  return typeof input === "string" ? [{ role: "user", content: input }] : input;
}

/** Streams the model's events. An overflow comes before the first event; the usage in its last event is observed. */
async function* streamed(
  model: Model,
  request: ModelRequest,
  how: { compactor: ArrayCompactor<AgentInputItem, unknown>; facts: ArrayRequest<unknown>; reply: Reply },
): AsyncGenerator<StreamEvent> {
  const { compactor, facts, reply } = how;
  let sent: readonly AgentInputItem[] = [];
  const begin = async (input: AgentInputItem[]) => {
    sent = input;
    const events = model.getStreamedResponse(requestWith(request, input, reply))[Symbol.asyncIterator]();
    return { events, first: await events.next() };
  };
  const { events, first } = await compactor.send(itemsIn(request), begin, facts);
  try {
    for (let next = first; next.done !== true; next = await events.next()) {
      // This request was answered: a report that could not be written is written with the next one, which fails if that cannot be, either.
      if (next.value.type === "response_done") await compactor.observe(sent, next.value.response).catch(() => undefined);
      yield next.value;
    }
  } finally {
    await events.return?.();
  }
}

const AGENT_ITEMS: WireArray<AgentInputItem, unknown> = {
  tellsFailures: false,
  declares: (item) =>
    agentItemKind(item) === "system" ? declaredBy(rawItem(item), (raw) => contentParts(raw, "content")) : null,
  isPiece: isModels,
  drafts: (items, { toolNameOf }) => itemDrafts(items, toolNameOf),
  encode: (messages) => messages.flatMap(itemOf),
  changed: (items, [viewed]) => {
    if (viewed?.role === "assistant") return changedItems(items, viewed);
    if (viewed?.role === "tool-result") return items.map((item) => changedResult(item, viewed));
    return viewed === undefined ? items : items.map((item) => changedSaid(item, viewed));
  },
  turns: ITEM_TURNS,
  withoutLink: withoutId,
  isVendorState: ({ type }) => type === "compaction",
  observed: (answer) => {
    const usage = recordAt(answer, "usage");
    if (usage === null) return null;
    const [input] = detailsAt(usage, "inputTokensDetails");
    const [output] = detailsAt(usage, "outputTokensDetails");
    return {
      requestId: stringAt(answer, "responseId") ?? stringAt(answer, "id") ?? "",
      modelId: stringAt(recordAt(answer, "providerData"), "model") ?? "",
      usage: usageOf({
        totalInputTokens: numberAt(usage, "inputTokens"),
        cacheReadTokens: numberAt(input, "cached_tokens"),
        cacheWriteTokens: numberAt(input, "cache_write_tokens"),
        outputTokens: numberAt(usage, "outputTokens"),
        reasoningTokens: numberAt(output, "reasoning_tokens"),
        raw: jsonValueOf({ ...usage }),
      }),
    };
  },
};

/** Details come as a list, or as one object in a stream's last event. */
function detailsAt(usage: unknown, key: string) {
  const one = recordAt(usage, key);
  return one === null ? recordsAt(usage, key) : [one];
}
