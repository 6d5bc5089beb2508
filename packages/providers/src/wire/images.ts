import type { Context, ImagePart, TextPart } from "@plimsoll/core";

/** Gives the base64 text of an image that is kept under a handle; `null` if it is not kept any more. */
export type LoadImage = (handle: string) => Promise<string | null>;

/** The images of a context whose bytes are in a store, by handle, as base64. */
export type LoadedImages = ReadonlyMap<string, string>;

/** Where an image that can be sent is: its own bytes or an address. */
export type SendableImage =
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "url"; readonly url: string };

/** Loads what the context's images name by handle, each once. */
export async function loadImages(context: Context, load: LoadImage | null): Promise<LoadedImages> {
  const loaded = new Map<string, string>();
  if (load === null) return loaded;
  for (const message of context.messages) {
    for (const part of message.parts) {
      if (part.type !== "image" || part.source.kind !== "artifact" || loaded.has(part.source.handle)) continue;
      const data = await load(part.source.handle);
      if (data !== null) loaded.set(part.source.handle, data);
    }
  }
  return loaded;
}

/** The image as it can be sent; `null` if its bytes were not kept. */
export function sendableImage(part: ImagePart, loaded: LoadedImages): SendableImage | null {
  const { source, mediaType } = part;
  switch (source.kind) {
    case "base64":
      return { kind: "base64", mediaType, data: source.data };
    case "url":
      return { kind: "url", url: source.url };
    case "artifact": {
      const data = loaded.get(source.handle);
      return data === undefined ? null : { kind: "base64", mediaType, data };
    }
    case "absent":
      return null;
    default:
      return source satisfies never;
  }
}

/** The text that stands for an image that cannot be sent. */
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
