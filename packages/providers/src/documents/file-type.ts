/** Facts about a file beside its bytes. */
export interface FileFacts {
  /** A media type, or a word for a format; `null` if nothing is said. */
  readonly mediaType: string | null;
  /** Its name or its address. */
  readonly name: string;
  /** Its first bytes, one character each. */
  readonly head: string;
}

/** The type of a file of which nothing is known. */
export const UNTOLD_TYPE = "application/octet-stream";

/** The media type that is told, else the one that its first bytes, its format or its name say; `null` if nothing does. */
export function fileType({ mediaType, name, head }: FileFacts): string | null {
  const told = (mediaType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (told.includes("/") && !told.includes("*") && !isUntold(told)) return told;
  const extension = /\.([a-z0-9]{2,5})(?:[?#]|$)/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return BEGINNINGS.find(([begins]) => begins.test(head))?.[1] ?? EXTENSIONS.get(told) ?? EXTENSIONS.get(extension) ?? null;
}

function isUntold(mediaType: string): boolean {
  return mediaType === UNTOLD_TYPE || mediaType === "binary/octet-stream";
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

/** Ends of names, and words for formats, that say what a file is. */
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

/** Types of texts that are not called `text/…`: their last word says what they are written in. */
const TEXT_WORDS =
  /(?:^|[+./-])(?:json|jsonl|ndjson|json5|xml|yaml|yml|csv|tsv|toml|javascript|ecmascript|typescript|sql|graphql|sh|shellscript|python|ruby|perl|php|rust|go|java|kotlin|markdown|html|tex|latex|diff|patch|log)$/;

/** True for a file that is a text, whatever a vendor calls it: SVG is one. */
export function isTextType(mediaType: string): boolean {
  const [bare = ""] = mediaType.toLowerCase().split(";");
  return bare.startsWith("text/") || TEXT_WORDS.test(bare.trim());
}

/** The bytes as text; `null` if they are none. Bytes that are said to be text and are not UTF-8 are read as Latin letters. */
export function textOf(bytes: Uint8Array | null, mediaType: string): string | null {
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

/** Base64 of either alphabet as one character a byte; `null` for what is none. */
export function binaryOf(data: string): string | null {
  try {
    const plain = data.replaceAll("-", "+").replaceAll("_", "/").replaceAll(/\s/g, "");
    return atob(plain.slice(0, plain.length - (plain.length % 4 === 1 ? 1 : 0)));
  } catch {
    return null;
  }
}

/** Base64 as bytes; `null` for what is none. */
export function bytesOf(data: string): Uint8Array | null {
  const binary = binaryOf(data);
  if (binary === null) return null;
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** Bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += 8192)
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192));
  return btoa(binary);
}
