import { copyFileSync, mkdirSync, mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createDigest, createSession, PLIMSOLL_POLICY } from "@plimsoll/core";
import { human, reply, sessionStart } from "@plimsoll/core/testing";
import { fixtureSessions } from "@plimsoll/fixtures";
import { createFileSessionStore } from "@plimsoll/stores";
import { makeSessions } from "./agent-sessions.ts";
import { NOW_MS } from "./recorded-io.ts";

/** The session that the help of `compact` names. */
const SESSION = "20260310-120000-abcd";

/** A new folder, which is the home folder too, with all that the examples of the help name. Returns its path. */
export async function makeExampleFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-examples-"));
  const session = fixtureSessions()[0]?.path ?? "";
  const today = new Date(NOW_MS);
  for (const place of ["session.jsonl", "sessions/one.jsonl", "logs/a/one.jsonl", ".codex/sessions/2026/11/22/rollout.jsonl"]) {
    mkdirSync(dirname(join(folder, place)), { recursive: true });
    copyFileSync(session, join(folder, place));
    utimesSync(join(folder, place), today, today);
  }
  mkdirSync(join(folder, "reports"));
  for (const agent of ["claude-code", "codex"] as const)
    makeSessions(agent, folder, { count: 1, peakTokens: 28_000, windowTokens: 32_000 });
  writeFileSync(join(folder, "plimsoll.yaml"), "extends: plimsoll\nactAt: 75%\n");
  await writeCompactedSession(join(folder, ".plimsoll/sessions"));
  return folder;
}

/** A session of plimsoll's own that was compacted. */
async function writeCompactedSession(folder: string): Promise<void> {
  const writer = await createFileSessionStore({ folder }).create({ ...sessionStart("be brief"), id: SESSION });
  const manager = createSession({
    policy: PLIMSOLL_POLICY,
    summarizer: createDigest(),
    entries: [
      { ...sessionStart("be brief"), id: SESSION },
      ...Array.from({ length: 20 }, (_, turn) => `turn ${turn}: ${"the water rises and the line sinks. ".repeat(40)}`).flatMap(
        (said, turn) => [
          { type: "message", message: human(`h${turn}`, said) } as const,
          { type: "message", message: reply(`a${turn}`, said) } as const,
        ],
      ),
    ],
  });
  await manager.fit(
    {
      ...{ gate: "before-submit", pending: [], nowMs: NOW_MS, focus: null, now: { reason: "manual", keep: { tokens: 1_000 } } },
      model: { contextWindowTokens: 16_000, maxOutputTokens: 2_000 },
    },
    new AbortController().signal,
  );
  await writer.append(manager.entries().slice(1));
  await writer.close();
}
