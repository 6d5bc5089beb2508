import type { AssistantMessage, Usage, UserMessage } from "@plimsoll/core";
import type { ReplyItem, ReplyPart, ResultItem, UserItem } from "./log-items.ts";
import { nativeShortHash } from "./native-hash.ts";

/** Items of documents, which have no lines; ids and times where the document has them. */
interface Origin {
  readonly sourceId?: string | null;
  readonly atMs?: number | null;
}

/** A user item of a document. */
export function userItem(origin: UserMessage["origin"], parts: UserMessage["parts"], from: Origin = {}): UserItem {
  return { kind: "user", origin, parts, line: null, sourceId: from.sourceId ?? null, atMs: from.atMs ?? null };
}

/** A result item of a document. */
export function resultItem(
  callId: string,
  parts: ResultItem["parts"],
  from: Origin & { readonly isError?: boolean } = {},
): ResultItem {
  const { isError = false, sourceId = null, atMs = null } = from;
  return { kind: "result", callId, isError, parts, line: null, sourceId, atMs };
}

/** A reply item of a document; `usage` is `null` for a reply that was no reported call. */
export function replyItem(
  parts: readonly ReplyPart[],
  usage: Usage | null,
  from: Origin & {
    readonly modelId?: string | null;
    readonly requestId?: string | null;
    readonly stopReason?: AssistantMessage["stopReason"];
  } = {},
): ReplyItem {
  const { modelId = null, requestId = null, stopReason = null, sourceId = null, atMs = null } = from;
  return { kind: "reply", parts, usage, modelId, requestId, stopReason, limits: null, line: null, sourceId, atMs };
}

/** Gives ids to calls that have none: a chain of hashes, so that equal texts at different places differ and re-imports agree. */
export function callIdChain(): (content: string) => string {
  let last = "";
  return (content) => {
    last = nativeShortHash(`${last}\n${content}`);
    return `call:${last}`;
  };
}
