import type { ImagePart } from "../message/message.ts";
import { byteAt } from "../message/pixel-size.ts";
import { ASSUMED_PAGES } from "../message/size.ts";

/**
 * Tokens of an image by its size in pixels, of a document by its pages, and of audio and video by their seconds; never by the length of an
 * encoding. Vendors' figures are data in providers.
 */
export type ImageRule = AreaRule | TileRule;

/** So many pixels a token, up to a maximum. */
interface AreaRule extends MediaRule {
  readonly kind: "area";
  readonly pixelsPerToken: number;
  readonly maximumTokens: number;
}

/** A base, and as much again for each tile, after the image is scaled down to fit. */
interface TileRule extends MediaRule {
  readonly kind: "tiles";
  readonly baseTokens: number;
  readonly tileTokens: number;
  readonly tilePx: number;
  /** The longer side is scaled down to this; `null` if it is not. */
  readonly longestPx: number | null;
  /** Then the shorter side is scaled down to this; `null` if it is not. */
  readonly shorterPx: number | null;
  /** Images with no side longer than this are one tile. */
  readonly singleTilePx: number;
}

interface MediaRule {
  /** For an image whose size is not known. */
  readonly unknownTokens: number;
  /** For one page of a document. */
  readonly pageTokens: number;
  /** For a second of audio, and of video with its sound; {@link AUDIO_TOKENS_PER_SECOND} and {@link VIDEO_TOKENS_PER_SECOND} if nothing is said. */
  readonly audioTokensPerSecond?: number;
  readonly videoTokensPerSecond?: number;
}

/** Gemini's, the largest that were found (geminibyexample.com/027-calculate-input-tokens gives them, read in November 2026): too many rather than too few. */
const AUDIO_TOKENS_PER_SECOND = 32;
const VIDEO_TOKENS_PER_SECOND = 263;

/**
 * Bytes of a second, by which a duration that nobody tells is estimated; chosen, at the low end of what is common, so that little is undercounted: speech in
 * PCM of 16 kHz, 16 bits and one channel, compressed audio at 64 kbit/s, video at 1 Mbit/s.
 */
const PCM_BYTES_PER_SECOND = 32_000;
const AUDIO_BYTES_PER_SECOND = 8_000;
const VIDEO_BYTES_PER_SECOND = 125_000;

/** Seconds that are assumed of audio and video of which not even the bytes are known; chosen. */
const ASSUMED_SECONDS = 60;

/** True for a document, audio or video of which nothing says how large it is: its tokens are an assumption, which may be far off. */
export function isUnsized({ mediaType, sizeBytes, pageCount, source }: ImagePart): boolean {
  if (mediaType.startsWith("image/")) return false;
  if (!/^(audio|video)\//.test(mediaType)) return pageCount === undefined;
  return sizeBytes === null && source.kind !== "base64";
}

/** Tokens of images and documents; zero for none. */
export function imageTokensOf(images: readonly ImagePart[], rule: ImageRule): number {
  let tokens = 0;
  for (const image of images) tokens += imageTokens(image, rule);
  return tokens;
}

/** Tokens of one part of media by its type. */
function imageTokens(part: ImagePart, rule: ImageRule): number {
  const { mediaType, widthPx, heightPx, pageCount = ASSUMED_PAGES } = part;
  if (mediaType.startsWith("audio/"))
    return Math.ceil(secondsOf(part) * (rule.audioTokensPerSecond ?? AUDIO_TOKENS_PER_SECOND));
  if (mediaType.startsWith("video/"))
    return Math.ceil(secondsOf(part) * (rule.videoTokensPerSecond ?? VIDEO_TOKENS_PER_SECOND));
  if (!mediaType.startsWith("image/")) return rule.pageTokens * pageCount;
  if (widthPx === null || heightPx === null) return rule.unknownTokens;
  switch (rule.kind) {
    case "area":
      return Math.min(rule.maximumTokens, Math.ceil((widthPx * heightPx) / rule.pixelsPerToken));
    case "tiles":
      return rule.baseTokens + rule.tileTokens * tileCount(widthPx, heightPx, rule);
    default:
      return rule satisfies never;
  }
}

/** Seconds of audio or video: an estimate from its bytes, but for a WAV file, whose header tells how many a second has. */
function secondsOf({ mediaType, sizeBytes, source }: ImagePart): number {
  const data = source.kind === "base64" ? source.data : "";
  const bytes = sizeBytes ?? (data === "" ? null : Math.floor((data.length * 3) / 4));
  if (bytes === null) return ASSUMED_SECONDS;
  if (mediaType.startsWith("video/")) return bytes / VIDEO_BYTES_PER_SECOND;
  const isPcm = /wav|pcm|l16/i.test(mediaType);
  return bytes / (wavBytesPerSecond(data) ?? (isPcm ? PCM_BYTES_PER_SECOND : AUDIO_BYTES_PER_SECOND));
}

/** Where a WAV file states its bytes of a second, in four bytes, the lowest first. */
const WAV_RATE_AT = 28;

/** The bytes of a second that a WAV file states; `null` for any other file. */
function wavBytesPerSecond(data: string): number | null {
  // "RIFF" in base64.
  if (!data.startsWith("UklGR")) return null;
  const rate = [3, 2, 1, 0].reduce((sum, at) => sum * 256 + byteAt(data, WAV_RATE_AT + at), 0);
  return rate > 0 ? rate : null;
}

function tileCount(widthPx: number, heightPx: number, rule: TileRule): number {
  if (Math.max(widthPx, heightPx) <= rule.singleTilePx) return 1;
  const fit = rule.longestPx === null ? 1 : Math.min(1, rule.longestPx / Math.max(widthPx, heightPx));
  const shrink = rule.shorterPx === null ? 1 : Math.min(1, rule.shorterPx / (Math.min(widthPx, heightPx) * fit));
  const tiles = (sidePx: number) => Math.max(1, Math.ceil((sidePx * fit * shrink) / rule.tilePx));
  return tiles(widthPx) * tiles(heightPx);
}
