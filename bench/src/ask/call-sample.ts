import { createHash } from "node:crypto";
import type { CallPlace } from "./ask-report.ts";

/** Another value draws other calls. */
const SEED = "plimsoll bench --ask 1";

/**
 * Draws so many calls for each policy, from those that can be asked about under it. Sessions take turns, so that none counts for more than it
 * must; calls that can be asked about under many policies come first, so that policies share their calls as far as possible; everything else is
 * decided by a hash. The same calls in any order give the same sample, which is in the order of sessions and calls.
 */
export function drawCalls<Policy>(
  open: ReadonlyMap<Policy, readonly CallPlace[]>,
  callsAPolicy: number,
): ReadonlyMap<Policy, readonly CallPlace[]> {
  const policiesAt = new Map<string, number>();
  for (const places of open.values())
    for (const place of places) policiesAt.set(keyOf(place), (policiesAt.get(keyOf(place)) ?? 0) + 1);
  const rankOf = (place: CallPlace): Rank => ({
    policies: policiesAt.get(keyOf(place)) ?? 0,
    lot: lotOf(keyOf(place)),
  });
  return new Map([...open].map(([policy, places]) => [policy, drawn(places, { callsAPolicy, rankOf })]));
}

/** Among calls or sessions: more policies first, then by lot. */
interface Rank {
  readonly policies: number;
  readonly lot: string;
}

interface Draw {
  readonly callsAPolicy: number;
  readonly rankOf: (place: CallPlace) => Rank;
}

function drawn(places: readonly CallPlace[], { callsAPolicy, rankOf }: Draw): readonly CallPlace[] {
  const bySession = new Map<string, { readonly place: CallPlace; readonly rank: Rank }[]>();
  for (const place of places) {
    const own = bySession.get(place.session) ?? [];
    bySession.set(place.session, own);
    own.push({ place, rank: rankOf(place) });
  }
  for (const own of bySession.values()) own.sort((a, b) => byRank(a.rank, b.rank));
  const sessions = [...bySession].map(([session, calls]) => ({
    calls,
    rank: { policies: calls[0]?.rank.policies ?? 0, lot: lotOf(session) },
  }));
  sessions.sort((a, b) => byRank(a.rank, b.rank));
  const taken: CallPlace[] = [];
  const longest = Math.max(0, ...sessions.map(({ calls }) => calls.length));
  for (let turn = 0; turn < longest && taken.length < callsAPolicy; turn++) {
    const next = sessions.flatMap(({ calls }) => calls[turn]?.place ?? []);
    taken.push(...next.slice(0, callsAPolicy - taken.length));
  }
  return taken.toSorted((a, b) => byText(a.session, b.session) || a.call - b.call);
}

function byRank(one: Rank, other: Rank): number {
  return other.policies - one.policies || byText(one.lot, other.lot);
}

function byText(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function keyOf({ session, call }: CallPlace): string {
  return `${session}\n${call}`;
}

function lotOf(name: string): string {
  return createHash("sha256").update(`${SEED}\n${name}`).digest("hex");
}
