import type { AssistantMessage, ModelLimits, Usage } from "@plimsoll/core";
import { shortHash } from "@plimsoll/core/extend";
import type { OpenCall } from "./call-batch.ts";
import type { ReplyItem, ReplyPart } from "./log-items.ts";
import type { LogWriter } from "./log-writer.ts";

/**
 * Writes a reply: a `model-change` if the model or its limits differ from the last call's, the `usage` entry, the message.
 * A reply with nothing visible is a usage entry alone, one that reported nothing a message alone. Returns its calls.
 */
export function createReplyWriter(writer: LogWriter): (item: ReplyItem) => readonly OpenCall[] {
  const callIds = new Set<string>();
  let model: { readonly modelId: string; readonly limitsKey: string } | null = null;

  const changeModel = (modelId: string, limits: ModelLimits | null, atMs: number | null) => {
    const limitsKey = limits === null ? (model?.limitsKey ?? "null") : JSON.stringify(limits);
    const isChange = model === null ? limits !== null : model.modelId !== modelId || model.limitsKey !== limitsKey;
    model = { modelId, limitsKey };
    if (!isChange) return;
    const id = `model:${shortHash(`${writer.lastEntryId()}\n${modelId}\n${limitsKey}`)}`;
    writer.push({ type: "model-change", id, modelId, limits, atMs });
  };

  const pushUsage = (item: ReplyItem, usage: Usage, requestId: string) => {
    const modelId = item.modelId ?? model?.modelId ?? "unknown";
    changeModel(modelId, item.limits, item.atMs);
    const throughMessageId = writer.view().at(-1)?.id ?? null;
    const { atMs } = item;
    writer.push({ type: "usage", requestId, modelId, throughMessageId, overheadHash: null, viewHash: null, usage, atMs });
  };

  return (item) => {
    const previousId = writer.lastMessageId();
    const calls = openCallsOf(item, callIds, previousId);
    const draft = draftOf(item, calls);
    const isVisible = draft.parts.some((part) => part.type !== "reasoning");
    const message = isVisible ? writer.identify(draft, item.sourceId ?? idByCalls(calls)) : null;
    const requestId = requestIdOf(
      writer,
      item,
      message?.id ?? shortHash(`${writer.lastEntryId()}\n${item.requestId}\n${item.line}`),
    );
    if (item.usage !== null) pushUsage(item, item.usage, requestId);
    if (message?.role !== "assistant") return [];
    writer.append(item, item.usage === null ? message : { ...message, requestId });
    return calls;
  };
}

/** The source's id of the request if no other entry has it, else one made of the reply's. */
function requestIdOf(writer: LogWriter, item: ReplyItem, replyId: string): string {
  const isFree = item.requestId !== null && item.requestId !== "" && !writer.hasId(item.requestId);
  return isFree && item.requestId !== null ? item.requestId : `call:${replyId}`;
}

/** A reply that has no id of its own is known by its first call: call ids are the source's, and hashing long inputs is slow. */
function idByCalls(calls: readonly OpenCall[]): string | null {
  const [first] = calls;
  return first === undefined ? null : `reply:${first.call.callId}`;
}

function draftOf(item: ReplyItem, calls: readonly OpenCall[]): Omit<AssistantMessage, "id"> {
  const queue = [...calls];
  const parts = item.parts.flatMap((part) => partOf(part, queue));
  const { modelId, stopReason, atMs } = item;
  return { role: "assistant", origin: "model", parts, modelId, requestId: null, stopReason, atMs };
}

function partOf(part: ReplyPart, calls: OpenCall[]): AssistantMessage["parts"] {
  if (part.type === "text") return part.text.trim() === "" ? [] : [part];
  if (part.type === "reasoning") return [part];
  const { type, callId, toolName, argumentsJson, paths } = calls.shift()?.call ?? part;
  return [{ type, callId, toolName, argumentsJson, paths }];
}

/** The reply's calls. An id that the log has already gets the chain's hash behind it, so that ids stay unique. */
function openCallsOf(item: ReplyItem, callIds: Set<string>, previousId: string | null): readonly OpenCall[] {
  const calls: OpenCall[] = [];
  for (const part of item.parts) {
    if (part.type !== "tool-call") continue;
    const isFree = part.callId !== "" && !callIds.has(part.callId);
    const callId = isFree ? part.callId : `${part.callId}~${shortHash(`${previousId}\n${part.callId}\n${callIds.size}`)}`;
    callIds.add(callId);
    calls.push({ sourceCallId: part.callId, call: isFree ? part : { ...part, callId }, line: item.line });
  }
  return calls;
}
