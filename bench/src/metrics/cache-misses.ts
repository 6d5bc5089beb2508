import type { CacheUse } from "@plimsoll/core/internal";
import type { ReplayedCall } from "../replay/replayed-call.ts";
import type { CacheMiss } from "../results/cache-miss.ts";

/** Lists the calls whose cache was broken or had expired. */
export function createCacheMisses(): {
  add(sent: Pick<ReplayedCall, "call">, use: CacheUse): void;
  result(): readonly CacheMiss[];
} {
  const misses: CacheMiss[] = [];
  return {
    add: ({ call }, { state, writeTokens, uncachedTokens }) => {
      if (state !== "broken" && state !== "expired") return;
      misses.push({ call, kind: state, unreadTokens: Math.round(writeTokens + uncachedTokens) });
    },
    result: () => misses,
  };
}
