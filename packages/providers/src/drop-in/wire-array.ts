import type { ImagePart, Message, TextPart, Usage, UserMessage } from "@plimsoll/core";
import type { MessageDraft } from "@plimsoll/core/internal";
import { pdfPageCount } from "../documents/pdf-pages.ts";

/** Items of a caller's array that belong together, and the messages that they are. An item with several results is several messages. */
export interface ItemGroup<Item> {
  readonly items: readonly Item[];
  readonly drafts: readonly MessageDraft[];
}

/** What a vendor's answer tells of the request that it answers. */
export interface ObservedAnswer {
  readonly requestId: string;
  readonly modelId: string;
  readonly usage: Usage;
  /** When it was answered, if it tells. */
  readonly atMs?: number;
}

/** How one kind of array is read and written. */
export interface WireArray<Item, Answer> {
  /** The items as messages, in order. System text that stands among them is left to `systemOf`. */
  readonly groups: (items: readonly Item[]) => readonly ItemGroup<Item>[];
  /** The items at the array's beginning that are system text: sent as they are, counted as overhead. */
  readonly systemOf: (items: readonly Item[]) => { readonly items: readonly Item[]; readonly text: string };
  /** Messages that compaction made or changed, as items. */
  readonly encode: (messages: readonly Message[]) => readonly Item[];
  /** Joins what only looks right when joined (neighbours of one role); the items as they are where nothing has to be. */
  readonly joined: (items: readonly Item[]) => readonly Item[];
  readonly observed: (answer: Answer) => ObservedAnswer | null;
}

/** A text part, or none for text without a visible character. */
export function textParts(text: string): readonly TextPart[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

/** An image or document by its address; an address that holds the bytes is taken apart, and a PDF in it tells its pages. */
export function imageAt(url: string, mediaType = "image/png"): ImagePart {
  const comma = url.indexOf(",");
  const isInline = url.startsWith("data:") && comma > 0;
  const type = isInline ? (url.slice("data:".length, comma).split(";")[0] ?? mediaType) : mediaType;
  const source = isInline ? ({ kind: "base64", data: url.slice(comma + 1) } as const) : ({ kind: "url", url } as const);
  const pageCount = source.kind === "base64" && type === "application/pdf" ? pdfPageCount(source.data) : null;
  const pages = pageCount === null ? {} : { pageCount };
  return { type: "image", mediaType: type, widthPx: null, heightPx: null, sizeBytes: null, ...pages, source };
}

/** A human's message as a draft. */
export function userDraft(parts: readonly (TextPart | ImagePart)[]): Omit<UserMessage, "id"> {
  return { role: "user", origin: "human", parts, atMs: null };
}

/** A model's reply as a draft: where it came from is not known from an array. */
export const UNKNOWN_REPLY = {
  role: "assistant",
  origin: "model",
  modelId: null,
  requestId: null,
  stopReason: null,
  atMs: null,
} as const;
