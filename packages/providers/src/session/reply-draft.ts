import type { ModelReply, PathAccess, ToolCallPart } from "@plimsoll/core";
import { shortHash } from "@plimsoll/core/internal";
import type { DecodedReply } from "../client/wire-driver.ts";

/** A call without a result, and the id that the answer gave it. */
export interface OpenCall {
  readonly givenId: string;
  readonly call: ToolCallPart;
}

/** A reply as it enters the log; `draft` is `null` for one with nothing that a wire would take back. */
export interface LoggedReply {
  readonly draft: ModelReply["draft"] | null;
  readonly calls: readonly OpenCall[];
}

/** What is known of the session when a reply comes in. */
export interface ReplyFacts {
  readonly lastMessageId: string | null;
  readonly hasCall: (callId: string) => boolean;
  readonly pathsOf: (call: Pick<ToolCallPart, "toolName" | "argumentsJson">) => readonly PathAccess[];
}

/**
 * The reply without blank text and without reasoning that leads to nothing, each call with the paths that it touches and under an id that the session has
 * not seen: models repeat ids, and some give none.
 */
export function replyDraft(reply: DecodedReply, { lastMessageId, hasCall, pathsOf }: ReplyFacts): LoggedReply {
  const kept = reply.parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  const lastWords = kept.findLastIndex((part) => part.type !== "reasoning");
  const calls: OpenCall[] = [];
  const parts = kept.slice(0, lastWords + 1).map((part, index) => {
    if (part.type !== "tool-call") return part;
    const { callId: givenId } = part;
    const isFree = givenId !== "" && !hasCall(givenId) && !calls.some(({ call }) => call.callId === givenId);
    const callId = isFree ? givenId : `call_${shortHash(`${lastMessageId ?? ""}\n${index}\n${givenId}`).slice(0, 24)}`;
    const call = { ...part, callId, paths: pathsOf(part) };
    calls.push({ givenId, call });
    return call;
  });
  if (parts.length === 0) return { draft: null, calls };
  const { modelId, requestId, stopReason } = reply;
  return { draft: { role: "assistant", origin: "model", parts, modelId, requestId, stopReason, atMs: null }, calls };
}
