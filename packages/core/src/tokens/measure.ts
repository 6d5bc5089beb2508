import type { WorkCount } from "../entry.ts";
import type { ImagePart, Message } from "../message/message.ts";
import { ASSUMED_PAGES, byteAt } from "../message/size.ts";
import type { ToolSpec } from "../tool.ts";
import { POOLED_WEIGHTS } from "./pooled-weights.ts";

/**
 * Prices single messages and texts, without any session state. That of a kind remembers the messages it has priced (by identity), so that
 * nothing is scanned twice; the counter it was made with sees only real work.
 */
export interface MessageMeasure {
  /** Names the estimator in records and events. */
  readonly name: string;
  /** Estimated tokens of one message, a whole number. */
  messageTokens(message: Message): number;
  /** Estimated tokens of a text that is not a message (a system prompt, a dynamic context). */
  textTokens(text: string): number;
  /** Estimated tokens of tool schemas. */
  toolsTokens(tools: readonly ToolSpec[]): number;
  /** Whether system text and tools are counted: `left-out` for measures of only messages; `counted` if not given. */
  readonly overhead?: "counted" | "left-out" | undefined;
}

/** Doubles lose far less than this in a sum of a million tokens, and no size is that near to a whole number without being it. Chosen. */
const ROUNDING_TOKENS = 1e-6;

/**
 * Tokens rounded down. A number that is whole but for the last digits counts as whole: the same parts, multiplied before they are added up or after,
 * give the same.
 */
export function wholeTokens(tokens: number): number {
  return Math.floor(tokens + ROUNDING_TOKENS);
}

/** Counts work as it is done. Passed explicitly to every reader of text, so that every compaction can report its cost. */
export interface WorkCounter {
  /** Characters of the session's own texts that were read: a message's parts, the system text, a tool's name, description and schema. */
  scanned(characters: number): void;
  visited(messages: number): void;
  tokenized(calls: number): void;
  /** Entries that were folded into a session's state. They are no part of a compaction's cost. */
  folded(entries: number): void;
  foldedEntries(): number;
  /** The counts since the counter was made. */
  total(): WorkCount;
}

/** Makes a counter of work whose counts are all 0. */
export function createWorkCounter(): WorkCounter {
  const work = { charactersScanned: 0, messagesVisited: 0, tokenizerCalls: 0 };
  const entries = { folded: 0 };
  const counting =
    <Key extends string>(counts: Record<Key, number>, key: Key) =>
    (more: number) => {
      counts[key] += more;
    };
  return {
    scanned: counting(work, "charactersScanned"),
    visited: counting(work, "messagesVisited"),
    tokenized: counting(work, "tokenizerCalls"),
    folded: counting(entries, "folded"),
    foldedEntries: () => entries.folded,
    total: () => ({ ...work }),
  };
}

/** The work done between two readings of one counter. */
export function workBetween(before: WorkCount, after: WorkCount): WorkCount {
  return {
    charactersScanned: after.charactersScanned - before.charactersScanned,
    messagesVisited: after.messagesVisited - before.messagesVisited,
    tokenizerCalls: after.tokenizerCalls - before.tokenizerCalls,
  };
}

/**
 * Counts of a text's characters by class, in the order of `CHAR_CLASSES`, and behind them its tokens if they are counted; or the tokens of one of
 * each.
 */
export type ClassCounts = readonly number[];

/** The sum of two vectors of counts. */
export function addCounts(a: ClassCounts, b: ClassCounts): ClassCounts {
  const sum = [...a];
  for (let index = 0; index < Math.max(a.length, b.length); index++) sum[index] = (sum[index] ?? 0) + (b[index] ?? 0);
  return sum;
}

/** The weighted sum of counts. */
export function weighCounts(counts: ClassCounts, weights: ClassCounts): number {
  let sum = 0;
  for (let index = 0; index < counts.length; index++) sum += (counts[index] ?? 0) * (weights[index] ?? 0);
  return sum;
}

/** The figures that estimate a model's tokens until its provider reports usage. Those of vendors are in `@plimsoll/providers`; core has one fitted over all models. */
export interface ModelPrior {
  /** Names it in records and tables. */
  readonly name: string;
  /** Tokens of one of each character class, in the order of `CHAR_CLASSES`. */
  readonly weights: ClassCounts;
  /** The factor by which the weighted sum is multiplied. */
  readonly slopeRatio: number;
  /** How far texts are from their weights, by the error of character classes: 1 if left out. */
  readonly errorRatio?: number | undefined;
  /** The factor from the pooled weights' sum to this one: for texts that are measured without a model. */
  readonly pooledRatio: number;
  /** Tokens that the wire adds to a message. */
  readonly messageTokens: number;
  /** The weight of tool schemas on this model's wire, in addition to their text: templates print them with names and indents. */
  readonly toolsRatio: number;
  /** Whether the reasoning of a turn is still in the prompt after the next human message. */
  readonly reasoningAtTurn: "stays" | "goes";
  readonly image: ImageRule;
}

/** Counts the tokens of a text. Pure, never throws, linear in any text. */
export type CountTokens = (text: string) => number;

/** Returns the figures that estimate a model's tokens, by the model's id. */
export interface ModelPriors {
  (modelId: string): ModelPrior;
  /** Counts the tokens of texts, for figures that weigh them; by default only their characters count. */
  readonly countTokens?: CountTokens;
}

/** The content of several messages added up, before it is priced: any model's weights can be applied to it. */
export interface ContentSum {
  readonly counts: ClassCounts;
  readonly messages: number;
  /** Images, and text that the messages do not show. */
  readonly fixedTokens: number;
}

/** A line through measurements: tokens = slope × weighed + intercept × messages, with how sure it is of both. */
export interface Regression extends Pick<ModelPrior, "slopeRatio" | "messageTokens" | "errorRatio"> {
  /** Covariance of slope and intercept: [slope, both, intercept]. */
  readonly covariance: readonly [number, number, number];
}

/** A model's weights, and the line by which a session prices them. */
export interface TextPricing {
  readonly prior: ModelPrior;
  readonly fit: { readonly regression: Regression };
}

/** Expected tokens of messages with this weight. */
export function expectedOf(fit: Pick<Regression, "slopeRatio" | "messageTokens">, weighed: number, messages: number): number {
  return fit.slopeRatio * weighed + fit.messageTokens * messages;
}

/** Noise of one measurement: 8 tokens and 5% of it (the class weights' error on single messages is 4 to 6%). */
const NOISE_TOKENS = 8;
const NOISE_RATIO = 0.05;

/** Standard deviation of a measurement from its expected value, in tokens. */
export function deviationOf(fit: Regression, weighed: number, messages: number): number {
  const { errorRatio = 1, covariance } = fit;
  const [slope, both, intercept] = covariance;
  const expected = expectedOf(fit, weighed, messages);
  const known = slope * weighed * weighed + 2 * both * weighed * messages + intercept * messages * messages;
  return Math.sqrt(Math.max(0, known) + (NOISE_TOKENS + errorRatio * NOISE_RATIO * expected) ** 2);
}

/** Expected tokens of some messages. */
export function contentTokens(sum: ContentSum, { prior, fit }: TextPricing): number {
  return expectedOf(fit.regression, weighCounts(sum.counts, prior.weights), sum.messages) + sum.fixedTokens;
}

/** Turns the pooled measure's tokens into this model's: its slope, for texts that are not messages. */
export function slopeOf({ prior, fit }: TextPricing): number {
  return fit.regression.slopeRatio * prior.pooledRatio;
}

/**
 * The pooled prior of all recorded models (docs/evidence.md): slopes lie between 0.8 and 1.4 of it. Images by the common
 * width × height / 750 up to 1,600 tokens; schemas at 1.2 (chosen); a page of a document counts 2,000 (vendors state 1,500 to 3,000).
 */
export const POOLED_PRIOR: ModelPrior = {
  name: "pooled",
  weights: POOLED_WEIGHTS,
  slopeRatio: 1,
  pooledRatio: 1,
  messageTokens: 10,
  toolsRatio: 1.2,
  reasoningAtTurn: "stays",
  image: { kind: "area", pixelsPerToken: 750, maximumTokens: 1600, unknownTokens: 1500, pageTokens: 2000 },
};

/** Returns the same figures for every model: those fitted over all recorded models. */
export const pooledPriors: ModelPriors = () => POOLED_PRIOR;

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
 * Bytes of a second, by which an unknown duration is estimated; chosen, at the low end of common values, so that little is undercounted: speech in PCM of 16
 * kHz, 16 bits and one channel, compressed audio at 64 kbit/s, video at 1 Mbit/s.
 */
const PCM_BYTES_PER_SECOND = 32_000;
const AUDIO_BYTES_PER_SECOND = 8_000;
const VIDEO_BYTES_PER_SECOND = 125_000;

/** Seconds that are assumed of audio and video if not even the bytes are known; chosen. */
const ASSUMED_SECONDS = 60;

/** True for a document, audio or video of unknown size: its tokens are an assumption, which may be far off. */
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

/** Seconds of audio or video: an estimate from its bytes, but for a WAV file, whose header gives the bytes of a second. */
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
