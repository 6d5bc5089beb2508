import { type AssistantMessage, type Message, type ModelLimits, textOf, type UserMessage, usageOf } from "@plimsoll/core";
import { isRecord, type MessageDraft } from "@plimsoll/core/extend";
import type { Fields } from "../fields.ts";
import { argumentsObject, callPart, jsonValueOf, numberAt, piecesAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { jsonParts, pieceParts } from "./media-parts.ts";
import { createPlugin, type PluginOptions, UNKNOWN_WINDOW_TOKENS } from "./plugin.ts";
import { typedWord } from "./typed-words.ts";
import type { ObservedAnswer, WireArray } from "./wire-array.ts";
import {
  changedPieces,
  declaredByRole,
  isAgentsRole,
  keptError,
  replyDraft,
  resultDraft,
  textParts,
  userDraft,
  WHOLE_ITEMS,
} from "./wire-array.ts";

/** The part of pi's extension API that is used: pi 0.73 and 0.87, `ExtensionAPI`. */
interface PiApi {
  on(event: string, handler: (event: unknown, context: unknown) => unknown): unknown;
}

/** Largest part of a window that a reply is given: pi's models may name a reply as long as the window. Chosen. */
const REPLY_RATIO = 0.25;

/**
 * Makes an extension for pi. It compacts each request; the session's file stays whole. It cancels pi's threshold compaction, which would write a summary into the
 * session. `/compact` and overflow recovery stay pi's. 2% of the window stays free.
 */
export function createPiExtension(options: PluginOptions = {}): (pi: PiApi) => void {
  const plugin = createPlugin(PI_MESSAGES, options);
  return (pi) => {
    pi.on("input", async (event, context) => {
      // The messages of extensions are no person's.
      const word = stringAt(event, "source") === "extension" ? null : typedWord(stringAt(event, "text") ?? "");
      if (word === null || word.kind === "keep") return { action: "continue" };
      const answer = await plugin.answer(word, sessionOf(context));
      if (isRecord(context) && context.hasUI === false) console.error(answer);
      else called(recordAt(context, "ui"), "notify", answer, "info");
      return { action: "handled" };
    });
    pi.on("context", async (event, context) => {
      const modelId = stringAt(recordAt(context, "model"), "id");
      const request = { conversation: sessionOf(context), modelId, limits: limitsIn(context) };
      return { messages: await plugin.fit(recordsAt(event, "messages"), request) };
    });
    pi.on("session_before_compact", (event) => (stringAt(event, "reason") === "threshold" ? { cancel: true } : undefined));
  };
}

/** pi's name for its session; its own methods are not read by their types, since a context's shape is pi's. */
function sessionOf(context: unknown): string {
  const id = called(recordAt(context, "sessionManager"), "getSessionId");
  return typeof id === "string" ? id : "pi";
}

function called(value: Fields | null, method: string, ...given: readonly string[]): unknown {
  const found = value?.[method];
  return typeof found === "function" ? found.apply(value, given) : undefined;
}

function limitsIn(context: unknown): ModelLimits {
  const model = recordAt(context, "model");
  const contextWindowTokens = numberAt(model, "contextWindow") ?? UNKNOWN_WINDOW_TOKENS;
  const most = Math.floor(contextWindowTokens * REPLY_RATIO);
  return { contextWindowTokens, maxOutputTokens: Math.min(numberAt(model, "maxTokens") ?? most, most) };
}

/** Reads and writes pi's messages: a {@link WireArray} for `createArrayCompactor`. */
export const PI_MESSAGES: WireArray<Fields, Fields> = {
  ...WHOLE_ITEMS,
  declares: (item) => declaredByRole(item, itemParts),
  drafts: (items, { toolNameOf }) => items.flatMap((item) => (isFailed(item) ? [] : [draftOf(item, toolNameOf)])),
  encode: (messages) => messages.map(written),
  changed: ([item], [viewed]) => {
    if (item === undefined || viewed === undefined) return [];
    // A result keeps pi's fields; a reply whose text was changed keeps its model and usage.
    if (viewed.role === "assistant") return [{ ...item, content: written(viewed).content }];
    const contents = piecesAt(item, "content");
    return [contents.length === 0 ? written(viewed) : { ...item, content: changedPieces(contents, viewed.parts, PIECES) }];
  },
  turns: {
    // Messages of extensions, commands and summaries are sent in the user's role.
    roleOf: ({ role }) =>
      role === "assistant" ? role : role === "toolResult" ? "tool" : isAgentsRole(role) ? "system" : "user",
    said: (role, text) =>
      role === "user"
        ? { role, content: text, timestamp: 0 }
        : { role, ...NO_MODEL, content: [{ type: "text", text }], timestamp: 0 },
    join: (first, second) =>
      first.role === "user" && second.role === "user"
        ? { ...first, ...second, content: [...piecesAt(first, "content"), ...piecesAt(second, "content")] }
        : null,
    userAfterTool: "reject",
  },
  refusal: (item) => {
    const words = isFailed(item) ? stringAt(item, "errorMessage") : null;
    return words === null ? null : keptError(words, null);
  },
  observed: measuredIn,
  measured: measuredIn,
};

/** Reads the reported size of a reply's request; `null` for a reply that failed, which reports zeros. */
function measuredIn(answer: Fields): ObservedAnswer | null {
  const usage = recordAt(answer, "usage");
  const totalTokens = numberAt(usage, "totalTokens");
  if (usage === null || totalTokens === null || totalTokens === 0) return null;
  return {
    requestId: stringAt(answer, "responseId") ?? "",
    modelId: stringAt(answer, "model") ?? "",
    usage: usageOf({
      uncachedTokens: numberAt(usage, "input"),
      cacheReadTokens: numberAt(usage, "cacheRead"),
      cacheWriteTokens: numberAt(usage, "cacheWrite"),
      outputTokens: numberAt(usage, "output"),
      reasoningTokens: numberAt(usage, "reasoning"),
      raw: jsonValueOf(usage),
    }),
  };
}

/** True for a reply that failed or was stopped, which pi keeps and does not send: pi 1.3, `transformMessages`. */
function isFailed({ role, stopReason }: Fields): boolean {
  return role === "assistant" && (stopReason === "error" || stopReason === "aborted");
}

/** Of pi's roles three are the conversation's; summaries, commands and messages of extensions are the agent's own. */
function draftOf(item: Fields, toolNameOf: (callId: string) => string): MessageDraft {
  if (item.role === "assistant") return replyDraft(recordsAt(item, "content").flatMap(replyParts));
  if (item.role !== "toolResult") return userDraft(itemParts(item), item.role === "user" ? "human" : "injected");
  const callId = stringAt(item, "toolCallId") ?? "";
  const toolName = stringAt(item, "toolName") ?? toolNameOf(callId);
  return resultDraft({ callId, toolName, isError: item.isError === true }, itemParts(item));
}

function replyParts(part: Fields): AssistantMessage["parts"] {
  if (part.type === "text") return textParts(stringAt(part, "text") ?? "");
  if (part.type === "thinking")
    return [{ type: "reasoning", text: stringAt(part, "thinking") ?? "", opaque: stringAt(part, "thinkingSignature") }];
  const names = { callId: stringAt(part, "id") ?? "", toolName: stringAt(part, "name") ?? "" };
  return [callPart(names, JSON.stringify(part.arguments ?? {}))];
}

/** A message without contents of a known kind is counted by its JSON. */
function itemParts(item: Fields): UserMessage["parts"] {
  const text = stringAt(item, "content") ?? stringAt(item, "summary");
  if (text !== null) return textParts(text);
  const contents = recordsAt(item, "content");
  return contents.length === 0 ? jsonParts(item) : contents.flatMap(pieceParts);
}

const PIECES = { partsOf: pieceParts, made: (text: string): Fields => ({ type: "text", text }) };

const NO_COUNTS = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } as const;
const NO_MODEL = {
  api: "plimsoll",
  provider: "plimsoll",
  model: "plimsoll",
  stopReason: "stop",
  usage: { ...NO_COUNTS, totalTokens: 0, cost: { ...NO_COUNTS, total: 0 } },
} as const;

function written(message: Message): Fields {
  const timestamp = message.atMs ?? 0;
  if (message.role === "assistant")
    return { role: "assistant", ...NO_MODEL, content: message.parts.flatMap(writtenReply), timestamp };
  const content = writtenParts(message);
  if (message.role === "user") return { role: "user", content, timestamp };
  const { callId: toolCallId, toolName, isError } = message;
  return { role: "toolResult", toolCallId, toolName, isError, content, timestamp };
}

function writtenParts(message: Message): readonly Fields[] {
  const images = message.parts.flatMap((part) =>
    part.type === "image" && part.source.kind === "base64"
      ? [{ type: "image", data: part.source.data, mimeType: part.mediaType }]
      : [],
  );
  return [{ type: "text", text: textOf(message) }, ...images];
}

function writtenReply(part: AssistantMessage["parts"][number]): readonly Fields[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type === "reasoning") return [];
  return [{ type: "toolCall", id: part.callId, name: part.toolName, arguments: argumentsObject(part.argumentsJson) }];
}
