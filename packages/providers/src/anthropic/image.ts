import type Anthropic from "@anthropic-ai/sdk";
import type { ImagePart } from "@plimsoll/core";
import type { LoadedImages } from "../wire/images.ts";
import { sendableImage } from "../wire/images.ts";

/** Media types of images that the wire takes inline: platform.claude.com/docs/en/build-with-claude/vision. */
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

/** The image or document as a block; `null` where its bytes were not kept or the wire does not take its kind. */
export function anthropicImage(
  part: ImagePart,
  images: LoadedImages,
): Anthropic.ImageBlockParam | Anthropic.DocumentBlockParam | null {
  const image = sendableImage(part, images);
  if (image === null) return null;
  const isPdf = part.mediaType === "application/pdf";
  if (image.kind === "url") {
    const source = { type: "url", url: image.url } as const;
    return isPdf ? { type: "document", source } : { type: "image", source };
  }
  if (isPdf) return { type: "document", source: { type: "base64", media_type: "application/pdf", data: image.data } };
  const mediaType = IMAGE_TYPES.find((type) => type === image.mediaType);
  return mediaType === undefined
    ? null
    : { type: "image", source: { type: "base64", media_type: mediaType, data: image.data } };
}
