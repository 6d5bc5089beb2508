import type { ImagePart, TextPart } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { pdfPageCount } from "../documents/pdf-pages.ts";
import { type Fields, recordsAt, stringAt } from "../fields.ts";
import { imageAt, textParts } from "./wire-array.ts";

const UNTOLD_TYPE = "application/octet-stream";

type Content = readonly (TextPart | ImagePart)[];

type MediaHint = "image" | "audio" | "video" | "file";

interface GivenFile {
  readonly given: string | Uint8Array | URL;
  readonly form: "base64" | "address";
  readonly mediaType: string | null;
  readonly name: string | null;
  readonly hint: MediaHint | null;
  /** True for data that is the text itself, in no code. */
  readonly isPlain: boolean;
}

/**
 * A part of any vendor's form that is no text: its media by their own type, text files as their text. A part without media is its JSON, in which
 * base64 is media all the same: no vendor takes it for text.
 */
export function mediaParts(part: unknown): Content {
  const hint = isRecord(part) ? hintIn(stringAt(part, "type")) : null;
  const found: GivenFile[] = [];
  const text = jsonWith(part, found, hint);
  const media = found.flatMap(fileParts);
  if (text.length < LEAST_SAID_CHARS) {
    // A part of a known kind is its files; nothing is sent of the names around them.
    if (found.some((file) => file.hint !== null)) return media;
    const fields = isRecord(part) ? part : {};
    const named = [hint, ...Object.keys(fields).map(hintIn)].find((each) => each !== null);
    const mediaType = fileType({ mediaType: first(fields, TYPE_KEYS), name: "", head: "" });
    if (named && isReference(part)) return [absent(mediaType ?? KEPT_TYPES[named], null)];
  }
  return [...textParts(text), ...media];
}

/** A piece of a content as it is measured: its text, media by their types, of anything else its JSON. */
export function pieceParts(piece: unknown): Content {
  const text = stringAt(piece, "text");
  return text === null ? mediaParts(piece) : textParts(text);
}

/** Content under a key as it is measured: a text, or pieces that are each read separately. */
export function contentParts(item: unknown, key: string, partsOf: (piece: Fields) => Content = pieceParts): Content {
  const text = stringAt(item, key);
  return text === null ? recordsAt(item, key).flatMap(partsOf) : textParts(text);
}

/** JSON of any value as it is counted: base64 in it is media. */
export function jsonParts(value: unknown): Content {
  const found: GivenFile[] = [];
  const text = jsonWith(value, found, null);
  return [...textParts(text), ...found.flatMap(fileParts)];
}

/** JSON of a value without the base64 in it; empty for values that JSON cannot carry. */
export function jsonText(value: unknown): string {
  return jsonWith(value, [], null);
}

function fileParts(file: GivenFile): Content {
  const { given } = file;
  if (file.isPlain && typeof given === "string") return textParts(given);
  if (typeof given !== "string") return given instanceof URL ? addressParts(given.href, file) : bytesParts(given, file);
  if (isDataAddress(given) || file.form === "address") return addressParts(given, file);
  return encodedParts(given, file);
}

const TYPE_KEYS = ["mediaType", "media_type", "mimeType", "mime_type", "mime", "format"] as const;
const NAME_KEYS = ["filename", "file_name", "fileName", "name", "title"] as const;
const DATA_KEYS: readonly string[] = ["data", "blob", "base64", "bytes", "file_data", "image"];
const ADDRESS_KEYS = /^(?:(?:(?:file|image|video|audio)_)?url|imageUrl|uri|fileUri|file_uri|image|video|audio|data|file)$/;
const ID_KEY = /(?:^|_)(?:file_?)?(?:id|reference)$|FileId$|^fileId$|Reference$/i;

/** JSON around files is names and types up to so many characters; beyond it something is said. Chosen. */
const LEAST_SAID_CHARS = 400;

/** From so many characters on, letters without a space are base64 in any surroundings: no word is so long. Chosen. */
const LEAST_RUN_CHARS = 1_024;
const RUN = /^[\w+/-]+={0,2}$/;
const WRAPPED_RUN = /^(?:[A-Za-z0-9+/]{60,76}\r?\n)+[A-Za-z0-9+/]*={0,2}\s*$/;

function hintIn(name: string | null): MediaHint | null {
  const found = /image|screenshot|audio|video|document|file|media|text-plain|inlineData|inline_data/i
    .exec(name ?? "")?.[0]
    .toLowerCase();
  if (found === undefined) return null;
  if (found === "screenshot") return "image";
  return found === "image" || found === "audio" || found === "video" ? found : "file";
}

function jsonWith(value: unknown, found: GivenFile[], hint: MediaHint | null): string {
  return JSON.stringify(without(value, found, { hint, owner: {} })) ?? "";
}

interface Around {
  readonly hint: MediaHint | null;
  readonly owner: Fields;
}

function without(value: unknown, found: GivenFile[], around: Around): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, found, around));
  if (value instanceof Uint8Array || value instanceof URL || !isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) => {
      const within: Around = { hint: hintIn(key) ?? around.hint, owner: { ...namesOf(around.owner), ...value } };
      // A list may hold the files themselves: the frames of a video.
      const children = Array.isArray(child) ? child : [child];
      const rest = children.filter((each) => !isTaken(key, each, { found, within }));
      if (rest.length === 0 && children.length > 0) return [];
      return [[key, without(Array.isArray(child) ? rest : child, found, within)]];
    }),
  );
}

function isTaken(
  key: string,
  value: unknown,
  { found, within }: { readonly found: GivenFile[]; readonly within: Around },
): boolean {
  const given = value instanceof ArrayBuffer || value instanceof SharedArrayBuffer ? new Uint8Array(value) : value;
  const form = formOf(key, given, within.hint);
  if (form === null || !(typeof given === "string" || given instanceof Uint8Array || given instanceof URL)) return false;
  const { hint, owner } = within;
  found.push({
    given,
    form,
    hint,
    mediaType: first(owner, TYPE_KEYS),
    name: first(owner, NAME_KEYS),
    isPlain: stringAt(owner, "type") === "text",
  });
  return true;
}

function namesOf(owner: Fields): Fields {
  return Object.fromEntries(
    [...TYPE_KEYS, ...NAME_KEYS].flatMap((key) => (owner[key] === undefined ? [] : [[key, owner[key]]])),
  );
}

function first(owner: Fields, keys: readonly string[]): string | null {
  return keys.map((key) => stringAt(owner, key)).find((text) => text !== null) ?? null;
}

function formOf(key: string, value: unknown, hint: MediaHint | null): GivenFile["form"] | null {
  if (value instanceof Uint8Array) return "base64";
  if (value instanceof URL) return "address";
  if (typeof value !== "string" || /encrypted|signature/i.test(key)) return null;
  if (isDataAddress(value) && value.includes(",")) return "address";
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(value);
  if (isAddress) return hint !== null && ADDRESS_KEYS.test(key) ? "address" : null;
  if (hint !== null && DATA_KEYS.includes(key)) return "base64";
  return value.length >= LEAST_RUN_CHARS && (RUN.test(value) || WRAPPED_RUN.test(value)) ? "base64" : null;
}

/** True for an address that holds its own data; its scheme may be in capitals. */
function isDataAddress(text: string): boolean {
  return /^data:/i.test(text);
}

function isReference(part: unknown): boolean {
  if (!isRecord(part)) return false;
  return Object.entries(part).some(([key, value]) => ID_KEY.test(key) || (key !== "providerOptions" && isReference(value)));
}

/** An address that holds the bytes is taken apart; the part before its comma names their encoding. */
function addressParts(url: string, file: GivenFile): Content {
  const comma = url.indexOf(",");
  if (!isDataAddress(url) || comma < 0)
    return [imageAt(url, fileType({ mediaType: file.mediaType, name: url, head: "" }) ?? KEPT_TYPES[hintOf(file)])];
  const [type = "", ...rules] = url.slice("data:".length, comma).split(";");
  const data = url.slice(comma + 1);
  const mediaType = type === "" ? file.mediaType : type;
  if (rules.some((rule) => rule.trim().toLowerCase() === "base64")) return encodedParts(data, { ...file, mediaType });
  return isTextType(mediaType ?? "text/plain") ? textParts(unescaped(data)) : [absent(mediaType ?? "", data.length)];
}

function encodedParts(data: string, file: GivenFile): Content {
  const mediaType = typeOf(file, binaryOf(data.slice(0, HEAD_CHARS)) ?? "");
  const text = isRead(mediaType, file) ? textOf(bytesOf(data), mediaType) : null;
  if (text !== null) return textParts(text);
  // Text by its type that is no base64 is the text itself.
  if (isTextType(mediaType) && bytesOf(data) === null) return textParts(data);
  return [imageAt(`data:${mediaType};base64,${data}`)];
}

function bytesParts(bytes: Uint8Array, file: GivenFile): Content {
  const mediaType = typeOf(file, String.fromCharCode(...bytes.subarray(0, HEAD_CHARS)));
  const text = isRead(mediaType, file) ? textOf(bytes, mediaType) : null;
  if (text !== null) return textParts(text);
  const part = absent(mediaType, mediaType.startsWith("image/") ? null : bytes.length);
  const pageCount = mediaType === "application/pdf" ? pdfPageCount(base64Of(bytes)) : null;
  return [pageCount === null ? part : { ...part, pageCount }];
}

function isRead(mediaType: string, { hint }: GivenFile): boolean {
  return isTextType(mediaType) || (mediaType === UNTOLD_TYPE && hint === "file");
}

function typeOf(file: GivenFile, head: string): string {
  return fileType({ mediaType: file.mediaType, name: file.name ?? "", head }) ?? DEFAULT_TYPES[hintOf(file)];
}

/** Finds the kind of media from a type without its second half (`image/*`), else from the keys around the file. */
function hintOf({ mediaType, hint }: GivenFile): MediaHint {
  const [half] = (mediaType ?? "").split("/");
  return half === "image" || half === "audio" || half === "video" ? half : (hint ?? "file");
}

function absent(mediaType: string, sizeBytes: number | null): ImagePart {
  return { type: "image", mediaType, widthPx: null, heightPx: null, sizeBytes, source: { kind: "absent" } };
}

const DEFAULT_TYPES: Readonly<Record<MediaHint, string>> = {
  image: "image/png",
  audio: "audio/mpeg",
  video: "video/mp4",
  file: UNTOLD_TYPE,
};

/** Of files that are kept elsewhere; most that nothing is said of are documents. */
const KEPT_TYPES: Readonly<Record<MediaHint, string>> = { ...DEFAULT_TYPES, file: "application/pdf" };

const HEAD_CHARS = 64;

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray per cent sign: the text unchanged.
    return text;
  }
}

function fileType({ mediaType, name, head }: Pick<GivenFile, "mediaType"> & Record<"name" | "head", string>): string | null {
  const told = (mediaType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (told.includes("/") && !told.includes("*") && told !== UNTOLD_TYPE && told !== "binary/octet-stream") return told;
  const extension = /\.([a-z0-9]{2,5})(?:[?#]|$)/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return BEGINNINGS.find(([begins]) => begins.test(head))?.[1] ?? EXTENSIONS.get(told) ?? EXTENSIONS.get(extension) ?? null;
}

/** How files begin, by the formats' own specifications. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^%PDF-/, "application/pdf"],
  [/^\x89PNG/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8/, "image/gif"],
  [/^RIFF[\s\S]{4}WEBP/, "image/webp"],
  [/^RIFF[\s\S]{4}WAVE/, "audio/wav"],
  [/^RIFF[\s\S]{4}AVI /, "video/x-msvideo"],
  [/^(?:ID3|\xff[\xfb\xf3\xf2])/, "audio/mpeg"],
  [/^OggS/, "audio/ogg"],
  [/^fLaC/, "audio/flac"],
  [/^[\s\S]{4}ftypM4A/, "audio/mp4"],
  [/^[\s\S]{4}ftyp/, "video/mp4"],
  [/^[\s\S]E\xdf\xa3/, "video/webm"],
  [/^PK[\s\S]{2}/, "application/zip"],
];

/** Ends of names, and words for formats, that name a file's type. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["pdf", "application/pdf"],
  ...["png", "gif", "webp", "bmp", "heic"].map((name) => [name, `image/${name}`] as const),
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["svg", "image/svg+xml"],
  ...["wav", "flac", "aac", "ogg", "opus"].map((name) => [name, `audio/${name}`] as const),
  ["mp3", "audio/mpeg"],
  ["m4a", "audio/mp4"],
  ["pcm16", "audio/pcm"],
  ["mp4", "video/mp4"],
  ["webm", "video/webm"],
  ["mov", "video/quicktime"],
  ["mkv", "video/x-matroska"],
  ["avi", "video/x-msvideo"],
]);

/** Types of texts that are not called `text/…`: their last word names their language. */
const TEXT_WORDS =
  /(?:^|[+./-])(?:json|jsonl|ndjson|json5|xml|yaml|yml|csv|tsv|toml|javascript|ecmascript|typescript|sql|graphql|sh|shellscript|python|ruby|perl|php|rust|go|java|kotlin|markdown|html|tex|latex|diff|patch|log)$/;

/** True for a file that is a text, by any vendor's name: SVG is one. */
function isTextType(mediaType: string): boolean {
  const [bare = ""] = mediaType.toLowerCase().split(";");
  return bare.startsWith("text/") || TEXT_WORDS.test(bare.trim());
}

/** The bytes as text; `null` if they are none. Bytes that are said to be text and are not UTF-8 are read as Latin letters. */
function textOf(bytes: Uint8Array | null, mediaType: string): string | null {
  if (bytes === null) return null;
  const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isWide) return new TextDecoder(bytes[0] === 0xff ? "utf-16le" : "utf-16be").decode(bytes);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return isControlled(bytes) ? null : text;
  } catch {
    // Bytes that are no UTF-8 are an expected answer.
    return !isTextType(mediaType) || isControlled(bytes) ? null : new TextDecoder("windows-1252").decode(bytes);
  }
}

/** True for bytes with control characters that no text has: tabs, ends of lines and pages, and escapes are in texts. */
function isControlled(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte < 0x07 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b));
}

/** Base64 of either alphabet as one character a byte; `null` for other text. */
function binaryOf(data: string): string | null {
  try {
    const plain = data.replaceAll("-", "+").replaceAll("_", "/").replaceAll(/\s/g, "");
    return atob(plain.slice(0, plain.length - (plain.length % 4 === 1 ? 1 : 0)));
  } catch {
    return null;
  }
}

function bytesOf(data: string): Uint8Array | null {
  const binary = binaryOf(data);
  if (binary === null) return null;
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += 8192)
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return btoa(binary);
}
