import { type Sequence, sequenceOf } from "../sequence.ts";
import { utf8Bytes } from "../text.ts";
import { type Context, type ImagePart, type Message, oncePerMessage, type Part } from "./message.ts";

/** UTF-16 code units of a part's own text: of its sent form, without an image's bytes. */
export function partChars(part: Part): number {
  if (part.type === "image") return 0;
  return part.type === "tool-call" ? part.toolName.length + part.argumentsJson.length : part.text.length;
}

/** UTF-16 code units of all parts of a message. */
export function messageChars(message: { readonly parts: readonly Part[] }): number {
  let chars = 0;
  for (const part of message.parts) chars += partChars(part);
  return chars;
}

/** UTF-16 code units of a message, with the bytes of its images as they are held. */
export function heldChars(message: Message): number {
  let chars = messageChars(message);
  for (const part of message.parts)
    if (part.type === "image" && part.source.kind === "base64") chars += part.source.data.length;
  return chars;
}

/** The count of an edit's losses in the view: whole messages, their parts, and UTF-16 code units of their text. */
export interface CoverageCount {
  readonly messages: number;
  readonly parts: number;
  readonly chars: number;
}

/** Counts these messages, their parts and their UTF-16 code units: the loss if a compaction removes them. */
export function coverageOf(messages: readonly Message[]): CoverageCount {
  let parts = 0;
  let chars = 0;
  for (const message of messages) {
    parts += message.parts.length;
    chars += messageChars(message);
  }
  return { messages: messages.length, parts, chars };
}

/** The size of a request in units other than tokens. */
export interface RequestSize {
  /** Of the body as JSON. Media count by their encoding, those at an address by the address. */
  readonly bytes: number;
  /** Images and documents: vendors count them together. */
  readonly images: number;
  readonly documents: number;
  /** Pages of documents, and each image as one. */
  readonly pages: number;
  /** Of the files of documents, before they are encoded. */
  readonly documentBytes: number;
  /** Of the largest image, as it is encoded. */
  readonly imageBytes: number;
  /** Pixels of the longest side of an image. */
  readonly imagePx: number;
}

/** A unit other than tokens in which requests are limited. `manyImagePx` is `imagePx` in a request of more than {@link MANY_IMAGES} images and documents. */
export type RequestUnit = keyof RequestSize | "manyImagePx";

/** The largest request that a model or its server takes, by unit. Units without a known limit are left out. */
export type RequestLimits = { readonly [Unit in RequestUnit]?: number | undefined };

/** From more images and documents on Anthropic takes smaller images only: platform.claude.com/docs/en/build-with-claude/vision, November 2026. */
export const MANY_IMAGES = 20;

/** All units, in the order in which compaction checks them: limits of a single image first, those that depend on how many there are last. */
export const REQUEST_UNITS: readonly RequestUnit[] = [
  "imageBytes",
  "imagePx",
  "images",
  "documents",
  "pages",
  "documentBytes",
  "bytes",
  "manyImagePx",
];

/** A size by a figure for each unit. Written out: it is asked of each message. */
function sizeBy(of: (unit: keyof RequestSize) => number): RequestSize {
  return {
    bytes: of("bytes"),
    images: of("images"),
    documents: of("documents"),
    pages: of("pages"),
    documentBytes: of("documentBytes"),
    imageBytes: of("imageBytes"),
    imagePx: of("imagePx"),
  };
}

/** A request without anything in it. */
export const NO_SIZE: RequestSize = sizeBy(() => 0);

/** Two pieces of a request as one. */
export function joinedSize(a: RequestSize, b: RequestSize): RequestSize {
  return sizeBy((of) => (of === "imageBytes" || of === "imagePx" ? Math.max(a[of], b[of]) : a[of] + b[of]));
}

type SizedRequest = Pick<Context, "system" | "tools"> & { readonly messages: Iterable<Message> };

/** Measures a request of this system text, these tools and messages in units other than tokens: bytes, images, pages and more. */
export function requestSizeOf({ system, tools, messages }: SizedRequest): RequestSize {
  let size: RequestSize = { ...NO_SIZE, bytes: jsonBytes(system) + jsonBytes(tools) };
  for (const message of messages) size = joinedSize(size, messageSize(message));
  return size;
}

/** How much of a unit a request holds. */
export function sizeIn(size: RequestSize, unit: RequestUnit): number {
  if (unit !== "manyImagePx") return size[unit];
  return size.images > MANY_IMAGES ? size.imagePx : 0;
}

/** Takes the lower of two limits of each unit; a unit that only one of them limits has that limit. */
export function lowestLimits(a: RequestLimits, b: RequestLimits): RequestLimits {
  const limits: { [Unit in RequestUnit]?: number } = {};
  for (const unit of REQUEST_UNITS) {
    const limit = Math.min(a[unit] ?? Number.POSITIVE_INFINITY, b[unit] ?? Number.POSITIVE_INFINITY);
    if (limit < Number.POSITIVE_INFINITY) limits[unit] = limit;
  }
  return limits;
}

/** Pages that are assumed if a document's part does not give them: its bytes do not say; chosen. */
export const ASSUMED_PAGES = 5;

function jsonBytes(value: unknown): number {
  return utf8Bytes(JSON.stringify(value) ?? "");
}

/** Names, types and brackets around a part, in bytes; chosen, at the high end. */
const PART_BYTES = 120;

/** Returns the size of each part of a message; a message is read once. */
export const partSizes: (message: Message) => readonly RequestSize[] = oncePerMessage(({ parts }) => parts.map(measured));

/** Returns the size of a message in units other than tokens. */
export function messageSize(message: Message): RequestSize {
  return partSizes(message).reduce(joinedSize, NO_SIZE);
}

function measured(part: Part): RequestSize {
  if (part.type === "image") return mediaSize(part);
  const opaqueBytes = part.type === "reasoning" ? jsonBytes(part.opaque) : 0;
  return {
    ...NO_SIZE,
    bytes: PART_BYTES + jsonBytes(part.type === "tool-call" ? part.argumentsJson : part.text) + opaqueBytes,
  };
}

/** Base64 writes three bytes as four letters. */
const ENCODED_RATIO = 4 / 3;

function mediaSize(part: ImagePart): RequestSize {
  const { mediaType, pageCount = ASSUMED_PAGES, sizeBytes, source } = part;
  const sentBytes =
    source.kind === "base64"
      ? source.data.length
      : source.kind === "url"
        ? utf8Bytes(source.url)
        : Math.ceil((sizeBytes ?? 0) * ENCODED_RATIO);
  const bytes = PART_BYTES + sentBytes;
  if (/^(audio|video)\//.test(mediaType)) return { ...NO_SIZE, bytes };
  const isInline = source.kind !== "url";
  if (mediaType.startsWith("image/")) {
    const imageBytes = isInline ? sentBytes : 0;
    return { ...NO_SIZE, bytes, images: 1, pages: 1, imageBytes, imagePx: longestSidePx(part) };
  }
  const documentBytes = isInline ? Math.floor(sentBytes / ENCODED_RATIO) : 0;
  return { ...NO_SIZE, bytes, images: 1, documents: 1, pages: pageCount, documentBytes };
}

type PixelSize = Readonly<Record<"widthPx" | "heightPx", number>>;

/** The longest side of an image in pixels, as its part says or the head of its file; zero if neither does. */
export function longestSidePx({ widthPx, heightPx, source }: ImagePart): number {
  const stated = widthPx === null || heightPx === null ? null : { widthPx, heightPx };
  const size = stated ?? (source.kind === "base64" ? pixelSizeOf(source.data) : null);
  return size === null ? 0 : Math.max(size.widthPx, size.heightPx);
}

/**
 * Reads an image's width and height in pixels from the head of a file in base64; `null` for other files, or if the head is cut off. Layouts: PNG (RFC 2083, 4.1.1), GIF89a (17), JPEG
 * (ITU T.81, B.2.2), WebP (RFC 9649). Reads a few bytes.
 */
export function pixelSizeOf(base64: string): PixelSize | null {
  const bytes = Math.floor((base64.length * 3) / 4);
  if (base64.startsWith("iVBOR") && bytes >= 24) return sized(number(base64, 16, "big", 4), number(base64, 20, "big", 4));
  if (base64.startsWith("R0lGOD") && bytes >= 10) return sized(number(base64, 6, "little", 2), number(base64, 8, "little", 2));
  if (base64.startsWith("UklGR") && bytes >= 30) return webpSize(base64);
  return base64.startsWith("/9j/") ? jpegSize(base64, bytes) : null;
}

function sized(widthPx: number, heightPx: number): PixelSize {
  return { widthPx, heightPx };
}

function number(data: string, at: number, order: "big" | "little", length: number): number {
  let value = 0;
  for (let index = 0; index < length; index++)
    value = value * 256 + byteAt(data, at + (order === "big" ? index : length - 1 - index));
  return value;
}

/** The fourth letter of the first chunk gives the form of a WebP file: sides are written less one but in the lossy form, in 14 bits in both simple ones. */
function webpSize(data: string): PixelSize | null {
  const SIDE = 0x4000;
  switch (String.fromCharCode(...[12, 13, 14, 15].map((at) => byteAt(data, at)))) {
    case "VP8X":
      return sized(1 + number(data, 24, "little", 3), 1 + number(data, 27, "little", 3));
    case "VP8L": {
      const bits = number(data, 21, "little", 4);
      return sized(1 + (bits % SIDE), 1 + (Math.floor(bits / SIDE) % SIDE));
    }
    case "VP8 ":
      return sized(number(data, 26, "little", 2) % SIDE, number(data, 28, "little", 2) % SIDE);
    default:
      return null;
  }
}

/** More segments than any JPEG file has before its frame; chosen. */
const MOST_SEGMENTS = 400;

/** The size in the first frame, which comes behind any number of other segments. */
function jpegSize(data: string, bytes: number): PixelSize | null {
  let at = 2;
  for (let segment = 0; segment < MOST_SEGMENTS && at + 9 <= bytes && byteAt(data, at) === 0xff; segment++) {
    const marker = byteAt(data, at + 1);
    // Frames are C0 to CF but for tables and extensions.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return sized(number(data, at + 7, "big", 2), number(data, at + 5, "big", 2));
    const length = number(data, at + 2, "big", 2);
    if (length < 2) return null;
    at += 2 + length;
  }
  return null;
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** One byte of base64; zero behind its end. */
export function byteAt(data: string, index: number): number {
  const start = Math.floor(index / 3) * 4;
  const three = [0, 1, 2, 3].reduce((sum, at) => sum * 64 + Math.max(0, BASE64.indexOf(data.charAt(start + at))), 0);
  return Math.floor(three / 256 ** (2 - (index % 3))) % 256;
}

/** The sizes of a session's present and sent requests, in units of a request. */
export interface RequestSizes {
  /** The size of a view's messages, looking only at those that came since it was asked before. */
  of(messages: Sequence<Message>): RequestSize;
  /** The most of each unit that an answered request with media held; nothing before the first one, and after a switch of the model. */
  answered(): RequestSize;
  /** Takes note of a message that comes after these: a reply shows that its request was not too large. */
  add(message: Message, before: Sequence<Message>): void;
  /** Forgets the answers of another model. */
  changeModel(): void;
}

/** Makes the sizes of a session that has sent nothing. */
export function createRequestSizes(): RequestSizes {
  let known = { messages: sequenceOf<Message>(), size: NO_SIZE };
  let hasMedia = false;
  let answered = NO_SIZE;
  const of = (messages: Sequence<Message>): RequestSize => {
    const from = messages.goesOnFrom(known.messages) ? known : { messages: sequenceOf<Message>(), size: NO_SIZE };
    const size = messages.slice(from.messages.size).map(messageSize).reduce(joinedSize, from.size);
    known = { messages, size };
    return size;
  };
  return {
    of,
    answered: () => answered,
    add: (message, before) => {
      const isReply = message.role === "assistant" && message.origin === "model";
      if (isReply && hasMedia) {
        const [largest, size] = [answered, of(before)];
        answered = sizeBy((unit) => Math.max(largest[unit], size[unit]));
      }
      hasMedia ||= message.parts.some(({ type }) => type === "image");
    },
    changeModel: () => {
      answered = NO_SIZE;
    },
  };
}
