import { shortHash } from "../hash.ts";
import { canonicalJson } from "../json.ts";
import type { Message } from "./message.ts";

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
  switch (draft.role) {
    case "user":
      return canonicalJson({ origin: draft.origin, parts: draft.parts });
    case "assistant":
      return canonicalJson({
        parts: draft.parts.map((part) => (part.type === "tool-call" ? { ...part, paths: undefined } : part)),
      });
    case "tool-result":
      return canonicalJson({ callId: draft.callId, isError: draft.isError, parts: draft.parts });
    default:
      return draft satisfies never;
  }
}

/** The draft with an id: `sourceId` if the source has one that is unique in its log, else the chain id. */
export function withId(draft: MessageDraft, previousId: string | null, sourceId?: string): Message {
  return identified(draft, sourceId ?? chainId(previousId, draft));
}

/**
 * Returns a new message: the draft with an id. It isn't made by a spread: an object that is spread and then added to has a hidden class of its own on the platform, and what reads
 * messages of as many classes as there are messages is slow.
 */
export function identified<Draft extends MessageDraft>(draft: Draft, id: string): Draft & { readonly id: string } {
  return Object.assign({}, draft, { id });
}

/** The drafts as messages, each under the chain id that follows from the one before it. */
export function withIds(drafts: readonly MessageDraft[], after: string | null): readonly Message[] {
  let previousId = after;
  return drafts.map((draft) => {
    const message = withId(draft, previousId);
    previousId = message.id;
    return message;
  });
}

/** Hash of what is sent before any message: system text and tool schemas. Usage entries carry it as `overheadHash`. */
export function overheadHash(system: string, tools: readonly { readonly name: string }[]): string {
  return shortHash(canonicalJson({ system, tools }));
}

/** Extends the hash of a view by one message; the hash of an empty view is `""`. */
export function extendViewHash(viewHash: string, messageId: string): string {
  return shortHash(`${viewHash}\n${messageId}`);
}
