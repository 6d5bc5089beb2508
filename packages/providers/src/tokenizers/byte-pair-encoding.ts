/** Ranks of a byte-pair encoding: each known byte string (one UTF-16 unit a byte) with its merge priority, lower first. */
export type RankTable = ReadonlyMap<string, number>;

/**
 * The rank table in js-tiktoken's packed text: lines of `! <first rank> <base64 token> <base64 token> …`, tokens of a line
 * in consecutive ranks. Linear in the text.
 */
export function parseRankTable(packed: string): RankTable {
  const ranks = new Map<string, number>();
  for (const line of packed.split("\n")) {
    const [, offset, ...tokens] = line.split(" ");
    const first = Number(offset);
    for (const [index, token] of tokens.entries()) ranks.set(atob(token), first + index);
  }
  return ranks;
}

/**
 * How many tokens the piece becomes when neighbours are merged in the order of their ranks. Quadratic in the piece with a small
 * constant: callers bound its length. Every single byte has a rank in the tables in use, so nothing is ever left uncounted.
 */
export function countMergedTokens(piece: string, ranks: RankTable): number {
  const bytes = byteString(piece);
  if (ranks.has(bytes)) return 1;
  const starts = Array.from({ length: bytes.length + 1 }, (_, index) => index);
  const pairRank = (index: number) => ranks.get(bytes.slice(starts[index], starts[index + 2])) ?? Number.POSITIVE_INFINITY;
  const pairRanks = Array.from({ length: bytes.length - 1 }, (_, index) => pairRank(index));
  for (;;) {
    const best = indexOfLeast(pairRanks);
    if (best < 0) return starts.length - 1;
    starts.splice(best + 1, 1);
    pairRanks.splice(best, 1);
    if (best < pairRanks.length) pairRanks[best] = pairRank(best);
    if (best > 0) pairRanks[best - 1] = pairRank(best - 1);
  }
}

/** Index of the first smallest finite number, or −1. */
function indexOfLeast(numbers: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  let found = -1;
  for (let index = 0; index < numbers.length; index++) {
    const value = numbers[index] ?? least;
    if (value >= least) continue;
    least = value;
    found = index;
  }
  return found;
}

/** The piece's UTF-8 bytes, one UTF-16 unit each; a lone surrogate becomes U+FFFD, as it does when it is sent. */
function byteString(piece: string): string {
  return isAscii(piece) ? piece : String.fromCharCode(...new TextEncoder().encode(piece));
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}
