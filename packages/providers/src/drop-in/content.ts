import type { ImagePart, TextPart, UserMessage } from "@plimsoll/core";
import { pdfPageCount } from "../documents/pdf-pages.ts";

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
