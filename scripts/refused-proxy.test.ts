import process from "node:process";
import { expect, test } from "vitest";
import { startSetting } from "../packages/cli/testing/proxy-setting.ts";
import { playRefused } from "../packages/providers/testing/play-refused.ts";
import { proxyDoor, refusedUpstream } from "../packages/providers/testing/refused-proxy.ts";
import { refusedSession } from "../packages/providers/testing/refused-session.ts";

/** Other seeds: `REFUSED_PROXIES=800001,300` plays so many from that one on. */
const [FIRST = 1, COUNT = 12] = (process.env.REFUSED_PROXIES ?? "1,12").split(",").map(Number);

test("generated sessions go on through a proxy that listens", { timeout: 7_200_000 }, async () => {
  const dead: string[] = [];
  let refused = 0;
  for (let seed = FIRST; seed < FIRST + COUNT; seed += 1) {
    const session = refusedSession(seed);
    const closing: (() => Promise<void>)[] = [];
    const played = await playRefused(session, async (given, answer) => {
      const upstream = refusedUpstream(given, answer);
      const { url, close } = await startSetting({
        proxy: { policy: given.policy.name, window: String(given.believedTokens) },
        intercept: async ({ target, body }, response): Promise<"answered"> => {
          const { status, form, text } = await upstream.post(target, body.toString("utf8"));
          response
            .writeHead(status, { "content-type": form === "events" ? "text/event-stream" : "application/json" })
            .end(text);
          return "answered";
        },
      });
      closing.push(close);
      const post = async (path: string, body: string) => {
        const headers = { "content-type": "application/json", session_id: "one" };
        const answer = await fetch(`${url}${path}`, { method: "POST", headers, body });
        return { status: answer.status, form: upstream.form, text: await answer.text() };
      };
      return proxyDoor(given, upstream, { post, entries: async () => [] });
    });
    for (const close of closing) await close();
    refused += played.refused;
    if (played.dead !== null) dead.push(`${seed}: ${session.policy.name}, ${session.refusal}: ${JSON.stringify(played.dead)}`);
  }
  if (process.env.REFUSED_PROXIES !== undefined)
    process.stdout.write(`${JSON.stringify({ FIRST, COUNT, refused, dead: dead.length })}\n`);
  expect(refused).toBeGreaterThan(COUNT);
  expect(dead).toEqual([]);
});
