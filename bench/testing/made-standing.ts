import type { SessionStanding } from "../src/judge/standing.ts";
import { VECTOR } from "../src/judge/vector.ts";

/** Makes a policy's standing in one session; shares are the same on every measure, over far needs those of `far`. */
export function madeSession(
  session: string,
  costRatio: number,
  { held, far = held, ...more }: Partial<SessionStanding> & { readonly held: number | null; readonly far?: number | null },
): SessionStanding {
  const vector = VECTOR.map(({ isFar }) => ({ own: isFar ? far : held, tail: null, none: null, uses: 10 }));
  const figures = {
    usd: costRatio,
    rereadRatio: costRatio,
    vector,
    hasActed: true,
    lostRequests: 0,
    tooLarge: 0,
    compactions: 1,
  };
  return { session, file: session, costRatio, ...figures, ...more };
}
