import type { ToolSpec } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { decodeAnthropicStream } from "../anthropic/decode.ts";
import { isSummaryBlock } from "../anthropic/encode.ts";
import { leastReplyOf, SUMMARY_BETA, summaryRequest } from "../anthropic/thinking.ts";
import { createMessagesCompactor } from "../drop-in/anthropic.ts";
import type { ArrayCompactor } from "../drop-in/array-compactor.ts";
import { createContentsCompactor } from "../drop-in/google-genai.ts";
import { createChatCompactor } from "../drop-in/openai-chat.ts";
import { createItemsCompactor } from "../drop-in/openai-responses.ts";
import { type CompactorOptions, vendorHistoryIn } from "../drop-in/request.ts";
import { isModels, itemKind, type ResponseItem } from "../drop-in/response-items.ts";
import { type Fields, listAt, numberAt, recordAt, recordsAt, stringAt, textAt, withoutKeys } from "../fields.ts";
import { decodeOpenAiChatStream } from "../openai-chat/decode.ts";
import { decodeOpenAiResponsesStream } from "../openai-responses/decode.ts";
import { type EndedReply, endedReplyIn, endedReplyOf } from "../wire/ended-reply.ts";
import { countedTools } from "../wire/tools.ts";
import type { DriverEvent } from "../wire/wire.ts";

/** Parameters that a request has besides its items. */
export interface BodyFacts {
  readonly modelId: string | null;
  /** System text outside of the items. */
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly maxOutputTokens: number | null;
  /** The shortest reply that this request may ask for, beside its own budget of thinking; left out for any. */
  readonly leastOutputTokens?: number;
  readonly isStreamed: boolean;
  /** Whether the answer is wanted in a given form, as checks and classifications are. */
  readonly form: "given" | "free";
  /** True if system text and tools may be in a cache that the request names. */
  readonly isCached?: boolean;
  /** The parameter that shows that the vendor keeps the history, or compacts it by itself: such a request is never touched. `null` for none. */
  readonly vendors: string | null;
}

/** A compactor over untyped items of a wire. The vendor's answers are read field by field. */
export type AnyCompactor = Omit<ArrayCompactor<object, never>, "last" | "send" | "observe"> &
  Pick<ArrayCompactor<object, object>, "observe">;

/** One wire as the proxy needs it. */
export interface ProxyWire {
  readonly name: "anthropic" | "openai-chat" | "openai-responses" | "gemini";
  readonly paths: RegExp;
  /** The key of the body under which the history is. */
  readonly itemsKey: "messages" | "input" | "contents";
  readonly factsOf: (body: Fields, path: string) => BodyFacts;
  /** True for an item that the model said. */
  readonly isModels: (item: Fields) => boolean;
  /** True for an item that answers a call, or is the model's. */
  readonly isHistory: (item: Fields) => boolean;
  readonly compactor: (options: CompactorOptions) => AnyCompactor;
  /** The vendor's own compaction; left out for wires without one. */
  readonly vendors?: VendorsCompaction;
  /** Adds one more event of a stream, or the whole answer, to the facts that are known of the answer. */
  readonly answerAfter: (answer: Fields, event: Fields) => Fields;
  /** How a streamed answer ended, by all its events; rejects for one that broke off. */
  readonly streamedEnd: (events: readonly Fields[]) => Promise<EndedReply | null>;
}

interface VendorsCompaction {
  /** The path and body with which the vendor summarises the history of a request. */
  readonly ask: (path: string, body: Fields) => { readonly path: string; readonly body: Fields };
  readonly isSummary: (item: Fields) => boolean;
  /** Values of `anthropic-beta` without which no summary is written, or taken back. */
  readonly betas: readonly string[];
}

/** Finds the provider's API (wire) that a path belongs to; `null` for a path without a history. */
export function wireAt(path: string): ProxyWire | null {
  return Object.values(WIRES).find(({ paths }) => paths.test(path)) ?? null;
}

/** Finds the error that a vendor reports in an event of a stream; `null` for any other event. */
export function failureIn(event: Fields): Fields | null {
  return recordAt(event, "error") ?? recordAt(recordAt(event, "response"), "error") ?? (event.type === "error" ? event : null);
}

const endBy =
  (decode: (events: AsyncIterable<unknown>) => AsyncIterable<DriverEvent>): ProxyWire["streamedEnd"] =>
  async (events) => {
    const all = (async function* () {
      yield* events;
    })();
    for await (const event of decode(all)) if (event.type === "reply") return endedReplyOf(event.reply);
    return null;
  };

const ANTHROPIC: ProxyWire = {
  name: "anthropic",
  paths: /\/messages$/,
  itemsKey: "messages",
  factsOf: (body) => ({
    modelId: stringAt(body, "model"),
    system: textAt(body, "system"),
    tools: countedTools(body.tools),
    maxOutputTokens: numberAt(body, "max_tokens"),
    leastOutputTokens: leastReplyOf(body),
    isStreamed: body.stream === true,
    form: (recordAt(body, "output_format") ?? recordAt(recordAt(body, "output_config"), "format")) ? "given" : "free",
    // The vendor's own compaction; edits that only clear old parts may be beside ours.
    vendors: recordsAt(recordAt(body, "context_management"), "edits").some(({ type }) => String(type).startsWith("compact"))
      ? "context_management"
      : recordAt(body, "compaction") === null
        ? null
        : "compaction",
  }),
  isModels: ({ role }) => role === "assistant",
  isHistory: (item) => item.role === "assistant" || recordsAt(item, "content").some(({ type }) => type === "tool_result"),
  compactor: (options) => createMessagesCompactor(options, "unused"),
  vendors: {
    ask: (path, body) => ({ path, body: summaryRequest(withoutKeys(body, ["stream"])) }),
    isSummary: (item) => isSummaryBlock(recordsAt(item, "content")[0]),
    betas: [SUMMARY_BETA],
  },
  streamedEnd: endBy(decodeAnthropicStream),
  answerAfter: (answer, event) => {
    const message = recordAt(event, "message") ?? (event.type === "message" ? event : null);
    const { id = answer.id, model = answer.model } = message ?? {};
    const usage = recordAt(message, "usage") ?? recordAt(event, "usage");
    const told = Object.entries(usage ?? {}).filter(([, value]) => value !== null);
    return { id, model, usage: { ...recordAt(answer, "usage"), ...Object.fromEntries(told) } };
  },
};

const CHAT: ProxyWire = {
  name: "openai-chat",
  paths: /\/chat\/completions$/,
  itemsKey: "messages",
  factsOf: (body) => ({
    modelId: stringAt(body, "model"),
    system: "",
    tools: countedTools(body.tools),
    maxOutputTokens: numberAt(body, "max_completion_tokens") ?? numberAt(body, "max_tokens"),
    isStreamed: body.stream === true,
    form: isForm(recordAt(body, "response_format")),
    vendors: vendorHistoryIn(body),
  }),
  isModels: ({ role }) => role === "assistant",
  isHistory: ({ role }) => role === "assistant" || role === "tool",
  compactor: (options) => createChatCompactor(options, "unused"),
  streamedEnd: endBy(decodeOpenAiChatStream),
  answerAfter: (answer, { id = answer.id, model = answer.model, usage }) => ({
    id,
    model,
    usage: isRecord(usage) ? usage : answer.usage,
  }),
};

const RESPONSES: ProxyWire = {
  name: "openai-responses",
  paths: /\/responses(\/compact)?$/,
  itemsKey: "input",
  factsOf: (body) => ({
    modelId: stringAt(body, "model"),
    system: stringAt(body, "instructions") ?? "",
    tools: countedTools(body.tools),
    maxOutputTokens: numberAt(body, "max_output_tokens"),
    isStreamed: body.stream === true,
    form: isForm(recordAt(recordAt(body, "text"), "format")),
    vendors: vendorHistoryIn(body) ?? (listAt(body, "context_management").length > 0 ? "context_management" : null),
  }),
  isModels: (item) => isItem(item) && isModels(item),
  isHistory: (item) => isItem(item) && (isModels(item) || itemKind(item) === "output"),
  compactor: (options) => createItemsCompactor(options, "unused"),
  vendors: {
    ask: (path, { model, input, instructions }) => ({ path: `${path}/compact`, body: { model, input, instructions } }),
    isSummary: ({ type }) => type === "compaction",
    betas: [],
  },
  streamedEnd: endBy(decodeOpenAiResponsesStream),
  answerAfter: (answer, event) => {
    const response = recordAt(event, "response") ?? (event.object === "response" ? event : null);
    const { id = answer.id, model = answer.model, usage } = response ?? {};
    return { id, model, usage: isRecord(usage) ? usage : answer.usage };
  },
};

const GEMINI: ProxyWire = {
  name: "gemini",
  paths: /\/models\/[^/]+:(generateContent|streamGenerateContent)$/,
  itemsKey: "contents",
  factsOf: (body, path) => {
    const config = recordAt(body, "generationConfig") ?? recordAt(body, "generation_config");
    const system = recordAt(body, "systemInstruction") ?? recordAt(body, "system_instruction");
    return {
      modelId: decodeURIComponent(/models\/([^:/]+):/.exec(path)?.[1] ?? ""),
      system: textAt(system, "parts"),
      tools: recordsAt(body, "tools").flatMap((tool) => countedTools(listAt(tool, "functionDeclarations"))),
      maxOutputTokens: numberAt(config, "maxOutputTokens"),
      isStreamed: path.endsWith(":streamGenerateContent"),
      form: (config?.responseSchema ?? config?.responseJsonSchema) === undefined ? "free" : "given",
      vendors: null,
      isCached: stringAt(body, "cachedContent") !== null,
    };
  },
  isModels: ({ role }) => role === "model",
  isHistory: (item) => item.role === "model" || recordsAt(item, "parts").some((part) => part.functionResponse !== undefined),
  compactor: (options) => createContentsCompactor(options, "unused"),
  streamedEnd: async (events) => {
    const candidates = events.flatMap((event) => recordsAt(event, "candidates"));
    const parts = candidates.flatMap((candidate) => recordsAt(recordAt(candidate, "content"), "parts"));
    const { finishReason } = candidates.at(-1) ?? {};
    return endedReplyIn({ ...events.at(-1), candidates: [{ finishReason, content: { parts } }] }, null);
  },
  answerAfter: (answer, { responseId = answer.responseId, modelVersion = answer.modelVersion, usageMetadata }) => ({
    responseId,
    modelVersion,
    usageMetadata: isRecord(usageMetadata) ? usageMetadata : answer.usageMetadata,
  }),
};

/** The wires by their names. */
export const WIRES: Readonly<Record<ProxyWire["name"], ProxyWire>> = {
  anthropic: ANTHROPIC,
  "openai-chat": CHAT,
  "openai-responses": RESPONSES,
  gemini: GEMINI,
};

function isItem(item: unknown): item is Fields & ResponseItem {
  return isRecord(item);
}

function isForm(format: Fields | null): BodyFacts["form"] {
  return format === null || format.type === "text" ? "free" : "given";
}
