import { canonicalJson, type JsonValue, wellFormed, wellFormedJson } from "../json.ts";
import { shortHash } from "../text.ts";
import type { OutputCategory, PathAccess, ToolSpec } from "../tool.ts";

/** One message of a context. Readonly and immutable: an edited message is a new value, an untouched one keeps its identity, so that `===` finds a shared prefix. */
export type Message = UserMessage | AssistantMessage | ToolResultMessage;

/**
 * The source of a message. Only `human` starts a turn. `command` was run by the person, with its output; `injected` was put in by the agent
 * (reminders, environment, skills); `declared` is system or developer text, or tools, that the agent declares in the middle of a conversation;
 * `summary` and `notice` were written by compaction.
 */
type Origin = "human" | "command" | "injected" | "declared" | "summary" | "notice" | "model";

/** A message in the user's role; `origin` says whether a person wrote it, the agent put it in, or compaction made it. */
export interface UserMessage {
  readonly role: "user";
  readonly id: string;
  readonly origin: Exclude<Origin, "model">;
  readonly parts: readonly (TextPart | ImagePart)[];
  readonly atMs: number | null;
}

/** One reply of a model: all of one call's text, reasoning and tool calls, in order. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly id: string;
  readonly origin: "model" | "summary" | "notice";
  readonly parts: readonly (TextPart | ReasoningPart | ToolCallPart)[];
  readonly modelId: string | null;
  /** The provider's id of the request that produced it; joins it to its usage entry. */
  readonly requestId: string | null;
  readonly stopReason: StopReason | null;
  readonly atMs: number | null;
}

/** The result of one tool call, joined to it by `callId`. */
export interface ToolResultMessage {
  readonly role: "tool-result";
  readonly id: string;
  readonly callId: string;
  readonly toolName: string;
  readonly isError: boolean;
  /** Resolved and stored when the result is appended, so that truncating and clearing history need no tool. */
  readonly category: OutputCategory;
  readonly parts: readonly (TextPart | ImagePart)[];
  readonly atMs: number | null;
}

/** Why a reply ended, in the same words for all providers; `length` is a reply that a limit of tokens cut off. */
export type StopReason = "end" | "tool-calls" | "length" | "refusal" | "aborted" | "error" | "other";

/** Any part of any message. */
export type Part = TextPart | ImagePart | ReasoningPart | ToolCallPart;

/** Plain text, sent as it is. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/**
 * An image or document. Its bytes are not part of the message: `source` says where they are. Sizes are `null` if the source does not give them. The length of its
 * encoding never counts.
 */
export interface ImagePart {
  readonly type: "image";
  readonly mediaType: string;
  readonly widthPx: number | null;
  readonly heightPx: number | null;
  readonly sizeBytes: number | null;
  /** Pages of a document, if its source or its bytes give them; left out for images. */
  readonly pageCount?: number;
  readonly source: ImageSource;
}

/** Where an image's bytes are: inline (an agent's own log), in the artifact store, at an address, or not kept. */
type ImageSource =
  | { readonly kind: "base64"; readonly data: string }
  | { readonly kind: "artifact"; readonly handle: string }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "absent" };

/**
 * The model's reasoning. `text` may be empty if the vendor hides it; `opaque` is the part that the vendor wants back unchanged (a signature,
 * encrypted content), as it came.
 */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly opaque: JsonValue;
}

/** A call of a tool. `argumentsJson` is the text that the model wrote; `paths` are the files that it touches. */
export interface ToolCallPart {
  readonly type: "tool-call";
  readonly callId: string;
  readonly toolName: string;
  readonly argumentsJson: string;
  readonly paths: readonly PathAccess[];
}

/** The tool calls of a message, in order; none for messages that are not the assistant's. */
export function toolCallsOf(message: Message): readonly ToolCallPart[] {
  if (message.role !== "assistant") return NO_CALLS;
  // Walks over whole views ask this of every message: most have no call, or one.
  const { parts } = message;
  if (parts.every(isToolCall)) return parts;
  return parts.some(isToolCall) ? parts.filter(isToolCall) : NO_CALLS;
}

/** The calls of a message that its later results may answer, after one of this id: of several calls of one id the first is answered. */
export function callsAfterResult(calls: readonly ToolCallPart[], callId: string): readonly ToolCallPart[] {
  const at = calls.findIndex((call) => call.callId === callId);
  return calls.some((call, index) => index > at && call.callId === callId) ? calls.toSpliced(at, 1) : calls;
}

const NO_CALLS: readonly ToolCallPart[] = [];

function isToolCall(part: AssistantMessage["parts"][number]): part is ToolCallPart {
  return part.type === "tool-call";
}

/** The type in `opaque` of a summary that the vendor wrote: the first part of its message, whose other parts are sent where the block cannot be. */
export const VENDOR_SUMMARY = "vendor-summary";

/** The vendor's block in a message, as it came; `undefined` for a message without one. */
export function vendorBlockOf({ role, parts: [part] }: Pick<Message, "role" | "parts">): JsonValue | undefined {
  return role === "assistant" && part?.type === "reasoning" && isVendorSummary(part) ? Object(part.opaque).block : undefined;
}

/** True for the part of a summary that the vendor wrote. */
export function isVendorSummary(part: Part): boolean {
  return part.type === "reasoning" && Object(part.opaque).type === VENDOR_SUMMARY;
}

/** The parts of a message that a request has: of a vendor's summary only its text, empty if it is encrypted. */
export function sentParts({ parts }: Pick<Message, "parts">): readonly Part[] {
  const [part] = parts;
  return part?.type === "reasoning" && isVendorSummary(part) ? [{ type: "text", text: part.text }] : parts;
}

/** The texts of a part that are sent: a call counts its name and its arguments. */
export function partTexts(part: Part): readonly string[] {
  if (part.type === "image") return [];
  return part.type === "tool-call" ? [part.toolName, part.argumentsJson] : [part.text];
}

/** The text parts of a message joined by newlines; reasoning, calls and images are left out. */
export function textOf({ parts }: Message): string {
  if (parts.length === 1 && parts[0]?.type === "text") return parts[0].text;
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** True for a message that a person wrote (`origin` is `human`): only such a message starts a turn. */
export function isHuman(message: Message): message is UserMessage {
  return message.role === "user" && message.origin === "human";
}

/** True for a summary in the place of a compaction's covered messages. */
export function isSummary(message: Message): boolean {
  return message.role !== "tool-result" && message.origin === "summary";
}

/** True for system text or tools that the agent declares in the middle of a conversation: every request has them word for word, never summarised. */
export function isDeclared(message: Message): message is UserMessage {
  return message.role === "user" && message.origin === "declared";
}

/**
 * The context of one request. `dynamicContext` (git branch, notes of a CI run) is built per request, sent after the cached prefix, counted as overhead
 * and never logged.
 */
export interface Context {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
  readonly dynamicContext: string | null;
}

/** Counts the messages at the beginning of both lists that are the same objects (`===`): those that a prompt cache can reuse. */
export function sharedPrefixCount(before: readonly Message[], after: readonly Message[]): number {
  const limit = Math.min(before.length, after.length);
  let count = 0;
  while (count < limit && before[count] === after[count]) count += 1;
  return count;
}

/** Remembers the result of `make` for a message, or for a part of one, so that it runs once for each value; the result goes with the message. */
export function oncePerMessage<T extends object | number | string | boolean | null, Of extends Message | Part = Message>(
  make: (message: Of) => T,
): (message: Of) => T {
  const known = new WeakMap<Of, T>();
  return (message) => {
    const seen = known.get(message);
    if (seen !== undefined) return seen;
    const made = make(message);
    known.set(message, made);
    return made;
  };
}

/** A message before it has an id: every kind of {@link Message} without its `id`. */
export type MessageDraft = Message extends infer Kind ? (Kind extends Message ? Omit<Kind, "id"> : never) : never;

/**
 * The id of a message whose source gives none: a hash of the id before it, its role and its canonical content. It is the same
 * at each import of the same messages and differs between two equal messages at different places. Never ordinal, never random.
 */
export function chainId(previousId: string | null, draft: MessageDraft): string {
  return shortHash(`${previousId ?? ""}\n${draft.role}\n${canonicalContent(draft)}`);
}

/** Writes a message's content as canonical JSON, without its time, model and request id: equal content gives equal text. */
export function canonicalContent(draft: MessageDraft): string {
  if (draft.role === "user") return canonicalJson({ origin: draft.origin, parts: draft.parts });
  if (draft.role === "tool-result") return canonicalJson({ callId: draft.callId, isError: draft.isError, parts: draft.parts });
  return canonicalJson({
    parts: draft.parts.map((part) => (part.type === "tool-call" ? { ...part, paths: undefined } : part)),
  });
}

/** The draft with an id: `sourceId` if the source has one that is unique in its log, else the chain id. */
export function withId<Draft extends MessageDraft>(
  draft: Draft,
  previousId: string | null,
  sourceId?: string,
): Draft & { readonly id: string } {
  // No spread: an object that is spread and then added to has a hidden class of its own, and code that reads messages of as many classes as there are
  // messages is slow.
  return Object.assign({}, draft, { id: sourceId ?? chainId(previousId, draft) });
}

/** The drafts as messages, each under the chain id that follows from the one before it. */
export function withIds(drafts: readonly MessageDraft[], after: string | null): readonly Message[] {
  const messages: Message[] = [];
  for (const draft of drafts) messages.push(withId(draft, messages.at(-1)?.id ?? after));
  return messages;
}

/** Hash of the request's part before any message: system text and tool schemas. Usage entries carry it as `overheadHash`. */
export function overheadHash(system: string, tools: readonly { readonly name: string }[]): string {
  return shortHash(canonicalJson({ system, tools }));
}

/** Extends the hash of a view by one message; the hash of an empty view is `""`. */
export function extendViewHash(viewHash: string, messageId: string): string {
  return shortHash(`${viewHash}\n${messageId}`);
}

/**
 * The message with well-formed content; the message itself if it is well-formed. Its ids stay, so that calls keep their results: encoding maps ids that a wire refuses.
 * Changed reasoning loses its `opaque`, which signs the old text.
 */
export const wellFormedMessage: (message: Message) => Message = oncePerMessage((message) => {
  if (message.role === "assistant") {
    const isWhole = message.parts.every((part) => wellFormedPart(part) === part);
    return isWhole ? message : { ...message, parts: message.parts.map(wellFormedPart) };
  }
  const parts = wellFormed(message.parts);
  if (message.role === "user") return parts === message.parts ? message : { ...message, parts };
  const toolName = wellFormed(message.toolName);
  return parts === message.parts && toolName === message.toolName ? message : { ...message, parts, toolName };
});

function wellFormedPart(part: AssistantMessage["parts"][number]): AssistantMessage["parts"][number] {
  if (part.type === "text") return wellFormed(part);
  if (part.type === "reasoning")
    return part.text.isWellFormed() ? part : { ...part, text: wellFormed(part.text), opaque: null };
  const toolName = wellFormed(part.toolName);
  const argumentsJson = wellFormedJson(part.argumentsJson);
  return toolName === part.toolName && argumentsJson === part.argumentsJson ? part : { ...part, toolName, argumentsJson };
}

/** The context with well-formed text throughout, for encoders; well-formed messages keep their identity. */
export function wellFormedContext(context: Context): Context {
  return {
    system: wellFormed(context.system),
    tools: context.tools.map((tool) => ({ ...wellFormed(tool), parametersJson: wellFormedJson(tool.parametersJson) })),
    messages: context.messages.map(wellFormedMessage),
    dynamicContext: wellFormed(context.dynamicContext),
  };
}

/** The {@link overheadHash} of a view, made anew only if system text or tools are others than when it was asked before. */
export function createOverheadHash(): (view: Pick<Context, "system" | "tools">) => string {
  let known: { readonly view: Pick<Context, "system" | "tools">; readonly hash: string } | null = null;
  return (view) => {
    if (known === null || known.view.system !== view.system || known.view.tools !== view.tools)
      known = { view: { system: view.system, tools: view.tools }, hash: overheadHash(view.system, view.tools) };
    return known.hash;
  };
}
