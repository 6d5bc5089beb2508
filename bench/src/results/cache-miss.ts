/** A call whose prompt cache was broken by an edit, or had expired. */
export interface CacheMiss {
  readonly call: number;
  readonly kind: "broken" | "expired";
  /** Tokens of its prompt that were not read from the cache. */
  readonly unreadTokens: number;
}
