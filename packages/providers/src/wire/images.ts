import type { ImagePart, TextPart } from "@plimsoll/core";

/** Where an image that can be sent is: its own bytes or an address. */
export type SendableImage =
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "url"; readonly url: string };

/** The image as it can be sent; `null` if its bytes were not kept. */
export function sendableImage({ source, mediaType }: ImagePart): SendableImage | null {
  if (source.kind === "url") return { kind: "url", url: source.url };
  return source.kind === "base64" ? { kind: "base64", mediaType, data: source.data } : null;
}

/** The text that replaces an image that cannot be sent. */
export function imagePlaceholder(part: ImagePart): string {
  return `[image not available: ${part.mediaType}]`;
}

/** Parts as one text, a line each; images as their placeholders. */
export function textIn(parts: readonly (TextPart | ImagePart)[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : imagePlaceholder(part))).join("\n");
}

/** The name that a document of this type is sent under, on wires that want one. */
export function documentName(mediaType: string): string {
  return `document.${mediaType.split("/").at(-1) ?? ""}`;
}

/** The image as an address that holds its bytes, for wires that take addresses only. */
export function imageUrl(image: SendableImage): string {
  return image.kind === "url" ? image.url : `data:${image.mediaType};base64,${image.data}`;
}
