import process from "node:process";
import { expect, test } from "vitest";
import { playRefused } from "../testing/play-refused.ts";
import { refusedSession } from "../testing/refused-session.ts";

/** Other seeds: `REFUSED_SESSIONS=100001,10000` plays so many from that one on. */
const [FIRST = 1, COUNT = 120] = (process.env.REFUSED_SESSIONS ?? "1,120").split(",").map(Number);

test("generated sessions go on, whatever usage says and words a refusal has", { timeout: 14_400_000 }, async () => {
  const dead: string[] = [];
  const all = { irreducible: 0, requests: 0, refused: 0, thrown: 0 };
  for (let seed = FIRST; seed < FIRST + COUNT; seed += 1) {
    const session = refusedSession(seed);
    const played = await playRefused(session);
    all.irreducible += played.isIrreducible ? 1 : 0;
    all.requests += played.requests;
    all.refused += played.refused;
    all.thrown += played.thrown;
    const { policy, door, usage, usageFactor, refusal, refusalStatus } = session;
    const about = `${policy.name}, ${door}, ${refusal} ${refusalStatus}, usage ${usage} ${usageFactor}`;
    if (played.dead !== null) dead.push(`${seed}: ${about}: ${JSON.stringify(played.dead)}`);
  }
  if (process.env.REFUSED_SESSIONS !== undefined) process.stdout.write(`${JSON.stringify({ FIRST, COUNT, ...all })}\n`);
  expect(all.refused).toBeGreaterThan(COUNT);
  expect(dead).toEqual([]);
});

test.each([[207704, "413 of a request whose text is all that cannot be cut by bytes, and can by tokens"]])(
  "seed %s goes on: %s",
  async (seed) => {
    expect((await playRefused(refusedSession(seed))).dead).toBeNull();
  },
);
