import process from "node:process";
import { expect, test } from "vitest";
import { playRefused } from "../testing/play-refused.ts";
import { proxyDoor, proxyPost, refusedUpstream, repeating } from "../testing/refused-proxy.ts";
import { type RefusedSession, refusedSession } from "../testing/refused-session.ts";

/** Other seeds: `REFUSED_SESSIONS=100001,10000` plays so many from that one on. */
const [FIRST = 1, COUNT = 120] = (process.env.REFUSED_SESSIONS ?? "1,120").split(",").map(Number);

const ofProxy: Parameters<typeof playRefused>[1] = (session, answer) => {
  const upstream = refusedUpstream(session, answer);
  const proxy = proxyPost(session, upstream.post);
  return proxyDoor(session, upstream, { ...proxy, post: repeating(proxy.post) });
};

const [, PROXY_COUNT = 40] = (process.env.REFUSED_SESSIONS ?? "1,40").split(",").map(Number);

/** The same sessions, in which every refusal has words that say nothing, behind a status of a fault of the moment. */
const ofTheMoment = (session: RefusedSession): RefusedSession => ({
  ...session,
  ...{ refusal: "random", refusalStatus: [503, 504, 529, 408][session.seed % 4] ?? 503 },
});
const asGenerated = (session: RefusedSession): RefusedSession => session;

test.each([
  ["through sessions, agents and drop-ins", COUNT, asGenerated, undefined],
  ["through a proxy, on three wires, whole and streamed", PROXY_COUNT, asGenerated, ofProxy],
  ["through sessions, agents and drop-ins, refused for the moment", PROXY_COUNT, ofTheMoment, undefined],
  ["through a proxy, refused for the moment", PROXY_COUNT, ofTheMoment, ofProxy],
] as const)(
  "generated sessions go on, whatever usage says and words a refusal has, %s",
  { timeout: 14_400_000 },
  async (name, count, refusedAs, open) => {
    const dead: string[] = [];
    const all = { irreducible: 0, requests: 0, refused: 0, thrown: 0 };
    for (let seed = FIRST; seed < FIRST + count; seed += 1) {
      const session = refusedAs(refusedSession(seed));
      const played = await playRefused(session, open);
      all.irreducible += played.isIrreducible ? 1 : 0;
      all.requests += played.requests;
      all.refused += played.refused;
      all.thrown += played.thrown;
      const { policy, door, usage, usageFactor, refusal, refusalStatus } = session;
      const about = `${policy.name}, ${door}, ${refusal} ${refusalStatus}, usage ${usage} ${usageFactor}`;
      if (played.dead !== null) dead.push(`${seed}: ${about}: ${JSON.stringify(played.dead)}`);
    }
    if (process.env.REFUSED_SESSIONS !== undefined) process.stdout.write(`${JSON.stringify({ FIRST, count, name, ...all })}\n`);
    expect(all.refused).toBeGreaterThan(count);
    expect(dead).toEqual([]);
  },
);

test.each([
  [207704, "413 of a request whose text is all that cannot be cut by bytes, and can by tokens", undefined],
  [617873, "facts of a recovery take their share of what it may leave, not of the window believed before", ofProxy],
] as const)("seed %s goes on: %s", async (seed, _, open) => {
  expect((await playRefused(refusedSession(seed), open)).dead).toBeNull();
});
