import { Buffer } from "node:buffer";
import { isRecord, stringAt } from "./fields.ts";
import type { WireName } from "./reply.ts";
import type { SimulatedMediaLimits } from "./rules.ts";
import { invalid, Refusal, type WireError, wireError } from "./wire.ts";

const MB = 1024 * 1024;

/**
 * Limits of media that vendors document: platform.claude.com/docs/en/build-with-claude/vision and pdf-support; developers.openai.com, images-vision and
 * file-inputs; ai.google.dev, image-understanding.
 */
export function documentedMedia(wire: WireName, windowTokens: number): SimulatedMediaLimits {
  const count = windowTokens < 1_000_000 ? 100 : 600;
  switch (wire) {
    case "anthropic":
      return { bodyBytes: 32 * MB, images: count, pages: count, imageBytes: 10 * MB, sidePx: 8000, manySidePx: 2000 };
    case "gemini":
      return { bodyBytes: 20 * MB, images: 3600 };
    case "openai-chat":
    case "openai-responses":
      return { bodyBytes: 512 * MB, images: 1500, documentBytes: 50 * MB };
    default:
      return wire satisfies never;
  }
}

interface FoundMedia {
  readonly kind: "image" | "document";
  /** Empty for media at an address. */
  readonly base64: string;
}

/** Images and documents of a body, by their content: the wires differ only in names. */
function* mediaIn(value: unknown): Iterable<FoundMedia> {
  if (Array.isArray(value)) for (const each of value) yield* mediaIn(each);
  if (!isRecord(value)) return;
  const source = isRecord(value.source) ? value.source : {};
  const inline = isRecord(value.inlineData) ? value.inlineData : isRecord(value.inline_data) ? value.inline_data : null;
  const fileData = stringAt(value, "file_data");
  const imageUrl = stringAt(value, "image_url") ?? stringAt(value.image_url, "url");
  if ((value.type === "image" || value.type === "document") && isRecord(value.source) && source.type !== "text")
    yield { kind: value.type, base64: stringAt(source, "data") ?? "" };
  else if (inline !== null) {
    const type = stringAt(inline, "mimeType") ?? stringAt(inline, "mime_type") ?? "";
    if (!/^(audio|video)\//.test(type))
      yield { kind: type.startsWith("image/") ? "image" : "document", base64: stringAt(inline, "data") ?? "" };
  } else if (imageUrl !== null) yield { kind: "image", base64: afterComma(imageUrl) };
  else if (fileData !== null) yield { kind: "document", base64: afterComma(fileData) };
  else for (const each of Object.values(value)) yield* mediaIn(each);
}

function afterComma(url: string): string {
  return url.startsWith("data:") ? url.slice(url.indexOf(",") + 1) : "";
}

/** The longer side of a PNG, as its header has both; zero for other formats. */
function sideOf(base64: string): number {
  const head = Buffer.from(base64.slice(0, 48), "base64");
  return head.length >= 24 && head.toString("latin1", 1, 4) === "PNG"
    ? Math.max(head.readUInt32BE(16), head.readUInt32BE(20))
    : 0;
}

/** Pages by their objects, or the count in a comment about packed objects. */
function pagesOf(base64: string): number {
  const text = Buffer.from(base64, "base64").toString("latin1");
  const packed = /%Pages: (\d+)/.exec(text)?.[1];
  return packed === undefined ? (text.match(/\/Type ?\/Page\b/g)?.length ?? 1) : Number(packed);
}

const MANY = 20;

/** Refuses a body with more media than the limits allow. */
export function checkMedia(wire: WireName, body: unknown, limits: SimulatedMediaLimits): void {
  const isNamed = limits.words !== "unnamed";
  const all = [...mediaIn(body)];
  const images = all.filter(({ kind }) => kind === "image");
  const documents = all.filter(({ kind }) => kind === "document");
  const side = Math.max(0, ...images.map(({ base64 }) => sideOf(base64)));
  const largest = Math.max(0, ...images.map(({ base64 }) => base64.length));
  const place = wire === "anthropic" ? "messages.0.content.0.image.source.base64: " : "";
  const refuse = (named: string, unnamed: string) => {
    throw invalid(isNamed ? named : unnamed);
  };
  const { images: most = Infinity, pages: mostPages = Infinity, imageBytes = Infinity, sidePx = Infinity } = limits;
  const { manySidePx = Infinity, documentBytes = Infinity, documents: mostDocuments = Infinity } = limits;
  if (all.length > most)
    refuse(
      wire === "anthropic"
        ? `too many images and documents: ${images.length} + ${documents.length} > ${most}`
        : `Too many images in request: ${all.length} images provided, but the model supports a maximum of ${most} images.`,
      "too many images in the request",
    );
  const pages = documents.reduce((sum, { base64 }) => sum + pagesOf(base64), 0);
  if (pages + images.length > mostPages)
    refuse(`Too much media: ${pages} document pages + ${images.length} images > ${mostPages}`, "too many pdf pages");
  if (largest > imageBytes)
    refuse(
      `${place}image exceeds ${Math.round(imageBytes / MB)} MB maximum: ${largest} bytes > ${imageBytes} bytes`,
      `${place}image is too large`,
    );
  const words = "At least one of the image dimensions exceed max allowed size";
  if (side > sidePx) refuse(`${place}${words}: ${sidePx} pixels`, `${place}${words}`);
  if (all.length > MANY && side > manySidePx)
    refuse(`${place}${words} for many-image requests: ${manySidePx} pixels`, `${place}${words} for many-image requests`);
  if (documents.length > mostDocuments)
    refuse(
      `Too many documents: ${documents.length} were given, at most ${mostDocuments} are allowed`,
      "too many documents in the request",
    );
  const bytes = documents.reduce((sum, { base64 }) => sum + Math.floor((base64.length * 3) / 4), 0);
  if (bytes > documentBytes)
    refuse(`The files in the request are too large: ${bytes} bytes > ${documentBytes} bytes`, "the files are too large");
  const bodyBytes = Buffer.byteLength(JSON.stringify(body));
  if (bodyBytes > (limits.bodyBytes ?? Infinity)) throw new Refusal(bodyError(wire, limits.bodyBytes ?? 0, isNamed));
}

function bodyError(wire: WireName, limitBytes: number, isNamed: boolean): WireError {
  const limit = isNamed ? `: ${limitBytes} bytes` : "";
  return wire === "gemini"
    ? wireError(400, "INVALID_ARGUMENT", `Request payload size exceeds the limit${limit}.`)
    : wireError(413, "request_too_large", `Request exceeds the maximum size${limit}`);
}
