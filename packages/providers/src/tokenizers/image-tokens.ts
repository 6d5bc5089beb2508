import type { ImagePart } from "@plimsoll/core";

/** Tokens of an image at high detail: a base, and as much again for each tile (OpenAI, "Images and vision", GPT-4o). */
const BASE_TOKENS = 85;
const TILE_TOKENS = 170;
const TILE_PX = 512;

/** The image is first scaled to fit a square of this side, then so that its shorter side is at most the other (same page). */
const LONGEST_SIDE_PX = 2_048;
const SHORTER_SIDE_PX = 768;

/** Taken for an image whose size is not known: a square of 1,024 px, which is the vendor's own example (chosen). */
const ASSUMED_SIDE_PX = 1_024;

/** Prompt tokens of an image, by its size and never by its bytes. */
export function imageTokens(image: Pick<ImagePart, "widthPx" | "heightPx">): number {
  const widthPx = image.widthPx ?? ASSUMED_SIDE_PX;
  const heightPx = image.heightPx ?? ASSUMED_SIDE_PX;
  const fit = Math.min(1, LONGEST_SIDE_PX / Math.max(widthPx, heightPx));
  const shrink = Math.min(1, SHORTER_SIDE_PX / (Math.min(widthPx, heightPx) * fit));
  const tiles = (sidePx: number) => Math.max(1, Math.ceil((sidePx * fit * shrink) / TILE_PX));
  return BASE_TOKENS + TILE_TOKENS * tiles(widthPx) * tiles(heightPx);
}
