import type { ImagePart } from "../message/message.ts";

/** Tokens of an image by its size in pixels, and of a document by its pages; never by bytes. Vendors' figures are data in providers. */
export type ImageRule = AreaRule | TileRule;

/** So many pixels a token, up to a maximum. */
export interface AreaRule extends DocumentRule {
  readonly kind: "area";
  readonly pixelsPerToken: number;
  readonly maximumTokens: number;
}

/** A base, and as much again for each tile, after the image is scaled down to fit. */
export interface TileRule extends DocumentRule {
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

interface DocumentRule {
  /** For an image whose size is not known. */
  readonly unknownTokens: number;
  /** For one page of a document. */
  readonly pageTokens: number;
}

/** Pages that are assumed if a document's part does not tell them: its bytes do not say; chosen. */
const ASSUMED_PAGES = 5;

/** Tokens of images and documents; zero for none. */
export function imageTokensOf(images: readonly ImagePart[], rule: ImageRule): number {
  let tokens = 0;
  for (const image of images) tokens += imageTokens(image, rule);
  return tokens;
}

function imageTokens({ mediaType, widthPx, heightPx, pageCount = ASSUMED_PAGES }: ImagePart, rule: ImageRule): number {
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

function tileCount(widthPx: number, heightPx: number, rule: TileRule): number {
  if (Math.max(widthPx, heightPx) <= rule.singleTilePx) return 1;
  const fit = rule.longestPx === null ? 1 : Math.min(1, rule.longestPx / Math.max(widthPx, heightPx));
  const shrink = rule.shorterPx === null ? 1 : Math.min(1, rule.shorterPx / (Math.min(widthPx, heightPx) * fit));
  const tiles = (sidePx: number) => Math.max(1, Math.ceil((sidePx * fit * shrink) / rule.tilePx));
  return tiles(widthPx) * tiles(heightPx);
}
