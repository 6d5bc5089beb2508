import { existsSync } from "node:fs";
import { importFile } from "@plimsoll/bench";
import { CHROMIUM, pageFaults } from "@plimsoll/bench/testing/browser";
import { fixtureSessions } from "@plimsoll/fixtures";
import { describe, expect, test } from "vitest";
import { inspectHtml } from "./inspect/inspect-html.ts";
import { inspectedSessions } from "./inspect/session-facts.ts";
import { statusPage } from "./proxy/own-requests.ts";
import type { ProxyStatus } from "./proxy/proxy-status.ts";

const START_MS = 240_000;
const HOSTILE = "</script><img src=x onerror=\"document.title='taken'\"> \u202e\"quoted' \ud800";

/** The first bundled session with a hostile text in the place of every text. */
async function hostileSession(): Promise<string> {
  const path = fixtureSessions()[0]?.path ?? "";
  const transcripts = await importFile(path, path);
  const entries = transcripts.map((transcript) => ({
    ...transcript,
    name: HOSTILE,
    entries: transcript.entries.map((entry) =>
      entry.type === "message" && entry.message.role === "user"
        ? {
            ...entry,
            message: { ...entry.message, parts: [{ type: "text", text: `${HOSTILE} ${"x".repeat(1_000_000)}` } as const] },
          }
        : entry,
    ),
  }));
  return inspectHtml(await inspectedSessions(entries.slice(0, 1)));
}

/** A running proxy with a hostile text in the place of every text. */
function hostileStatus(): ProxyStatus {
  const cut = { atMs: 0, reason: HOSTILE, isUndone: true, tokensBefore: 9_000, tokensAfter: 900, cost: HOSTILE };
  const went = { kinds: [{ what: HOSTILE, parts: 2, tokens: 9 }], paths: [HOSTILE], yours: [HOSTILE] };
  const conversation = {
    id: "12345678",
    title: `${HOSTILE}${"x".repeat(500)}`,
    modelId: HOSTILE,
    state: "running",
    askedMs: 0,
  } as const;
  const sizes = { usedTokens: 5_000, budgetTokens: 9_000, nextCutTokens: 8_000 };
  return {
    requests: HOSTILE,
    upstream: HOSTILE,
    policy: HOSTILE,
    isPaused: false,
    conversations: [{ ...conversation, ...sizes, cuts: [{ ...cut, ...went }] }],
    limits: [HOSTILE],
    stored: ["one", "two", "three"],
  };
}

describe.skipIf(!existsSync(CHROMIUM))("pages of the command line", { timeout: START_MS }, () => {
  test.each([
    ["inspect", hostileSession],
    ["proxy", () => Promise.resolve(statusPage(hostileStatus()))],
  ] as const)("%s: no rule of accessibility is broken, hostile texts stay texts, nothing is asked for", async (_, render) => {
    const content = await render();
    expect(content).not.toContain("<img");
    const faults = await pageFaults({ content, ready: "h1" }, async (page) => [
      ...((await page.title()) === "taken" ? ["a text ran as a script"] : []),
      ...((await page.textContent("body"))?.includes("<img src=x onerror=") === true ? [] : ["the hostile text is missing"]),
    ]);
    expect(faults).toEqual([]);
  });
});
