import process from "node:process";
import { formatNumberOf } from "@plimsoll/bench/internal";
import type { SessionSummary } from "@plimsoll/core/agent";
import { readConfig } from "../config/read-config.ts";
import type { CliIo } from "../io.ts";
import { sessionStoreOf } from "../run/stored-sessions.ts";
import { beginningOf, COLUMNS, printable } from "../terminal/printable.ts";

/** So many are listed: about a screen (chosen). */
const LISTED_SESSIONS = 15;

/** The sessions of this folder by what was said first, the newest first. */
export async function sessionList({ cwd, homeFolder, environment = process.env }: CliIo): Promise<string> {
  const config = readConfig({ cwd, homeFolder, environment, flags: {} });
  return sessionsText(await sessionStoreOf(cwd, config).list(), LISTED_SESSIONS);
}

/** Two lines a session: when it was last written to with its id, and what was said first. Sub-agents' are counted alone. */
export function sessionsText(stored: readonly SessionSummary[], most: number): string {
  const own = stored.filter(({ parentId }) => parentId === null);
  const [newest] = own;
  if (newest === undefined) return "There is no session here yet: plimsoll chat begins one.";
  const lines = own
    .slice(0, most)
    .flatMap(({ sessionId, updatedMs, title }) => [
      `${timeOf(updatedMs)}  ${printable(sessionId)}`,
      beginningOf(`  ${(title ?? "(nothing was said)").replace(/\s+/g, " ").trim()}`, COLUMNS),
    ]);
  const more = own.length > most ? [`and ${own.length - most} older`] : [];
  const below = stored.length - own.length;
  const parts = below === 0 ? [] : [`and ${formatNumberOf(below, "session")} of sub-agents`];
  return [...lines, ...more, ...parts, `go on with: plimsoll chat --resume ${printable(newest.sessionId)}`].join("\n");
}

/** Minutes are enough to tell sessions apart; in UTC, as ids are. */
function timeOf(timeMs: number | null): string {
  return timeMs === null
    ? "                "
    : new Date(timeMs).toISOString().slice(0, "2026-01-31T12:00".length).replace("T", " ");
}
