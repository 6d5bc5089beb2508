import type { ImagePart, TextPart } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { type Fields, recordAt, stringAt } from "./fields.ts";
import { imageFromBase64, imageFromUrl } from "./image.ts";
import { textPart } from "./log-items.ts";

/**
 * The text and images of a message's content, whichever of the common shapes it has: a string, or blocks of text (`text`, `input_text`,
 * `output_text`), images (base64 or address) and documents, whose source may be plain text or blocks again. Other blocks become their JSON text, so
 * that they are counted; a block without anything of its own is left out. A single block may come without a list; an answer in Google's form is the
 * tool's output.
 */
export function contentParts(content: unknown): readonly (TextPart | ImagePart)[] {
  if (typeof content === "string") return [textPart(content)];
  if (isRecord(content)) return blockParts(content);
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => (typeof block === "string" ? [textPart(block)] : blockParts(block)));
}

function blockParts(block: unknown): readonly (TextPart | ImagePart)[] {
  const fields = recordAt({ block }, "block");
  if (fields === null) return [];
  const answer = recordAt(recordAt(fields, "functionResponse"), "response");
  if (answer !== null) return [textPart(stringAt(answer, "output") ?? stringAt(answer, "error") ?? JSON.stringify(answer))];
  if ("responseParts" in fields) return contentParts(fields.responseParts);
  const text = stringAt(fields, "text");
  if (text !== null) return [textPart(text)];
  const inline = recordAt(fields, "inlineData");
  if (inline !== null) return [imageFromBase64(stringAt(inline, "mimeType"), stringAt(inline, "data") ?? "")];
  const source = recordAt(fields, "source");
  const plain = source?.type === "text" ? stringAt(source, "data") : null;
  if (plain !== null) return [textPart(plain)];
  if (source?.type === "content") return contentParts(source.content);
  const image = imagePart(fields);
  return image === null ? [{ ...textPart(JSON.stringify(fields)), ...unreadMark(fields) }] : [image];
}

/** Blocks that are sent back unchanged: hidden reasoning, inputs and outputs of server-side tools, and content loaded by name. */
const READ_BLOCKS =
  /^(?:redacted_thinking|fallback|thinking|reasoning|thought|thoughtSignature|namespace|function|resource\w*|\w+_(?:reference|result|use))$/;

/** The name of a block of an unknown form, for {@link unreadBlockIn}: its type, or its only field. */
export function unreadMark(block: Fields): { readonly block?: string } {
  const [only = "", ...others] = Object.keys(block);
  const name = stringAt(block, "type") ?? (others.length === 0 ? only : "");
  return name === "" || READ_BLOCKS.test(name) ? {} : { block: `block ${name}` };
}

/** The name of the block that a part was made of, if its form is not known. */
export function unreadBlockIn(part: object): readonly string[] {
  return "block" in part && typeof part.block === "string" ? [part.block] : [];
}

/** An image block in any of the vendors' shapes; `null` for a block that is none. */
function imagePart(block: Fields): ImagePart | null {
  const source = recordAt(block, "source");
  const mediaType =
    stringAt(source, "media_type") ??
    stringAt(block, "mimeType") ??
    stringAt(block, "mediaType") ??
    stringAt(block, "mime_type");
  const base64 = stringAt(source, "data") ?? (mediaType === null ? null : stringAt(block, "data"));
  if (base64 !== null) return imageFromBase64(mediaType, base64);
  const url =
    stringAt(block, "image_url") ??
    stringAt(recordAt(block, "image_url"), "url") ??
    stringAt(source, "url") ??
    stringAt(recordAt(block, "file"), "file_data") ??
    stringAt(block, "file_data") ??
    stringAt(block, "image");
  if (url === null) return null;
  return url.startsWith("data:") || url.includes("://") ? imageFromUrl(url, mediaType) : imageFromBase64(mediaType, url);
}
