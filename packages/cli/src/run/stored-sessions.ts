import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { PlimsollError, type SessionStore } from "@plimsoll/core";
import { suggestion } from "@plimsoll/core/extend";
import { createFileSessionStore, leadsOut } from "@plimsoll/stores";
import { PERSONS_FILE } from "../config/project-may.ts";
import type { EffectiveConfig } from "../config/settings.ts";
import type { SessionOptions } from "./session-options.ts";

/** The session logs of a place. */
export function sessionStoreOf(cwd: string, config: EffectiveConfig): SessionStore {
  return createFileSessionStore({ folder: sessionsFolderOf(cwd, config) });
}

/**
 * The folder of a place's session logs: the one that the person set, wherever that is, else one in the place itself.
 *
 * @throws PlimsollError `bad-input` if a link leads out of the place.
 */
export function sessionsFolderOf(cwd: string, config: EffectiveConfig): string {
  const own = config.settings.sessions?.value;
  return own === undefined ? folderIn(cwd, ".plimsoll/sessions") : resolve(cwd, own);
}

/** The folder of a place's whole texts of outputs that were cut. Throws as {@link sessionsFolderOf} does. */
export function artifactsFolderOf(cwd: string): string {
  return folderIn(cwd, ".plimsoll/artifacts");
}

/** A project may be someone else's: its links to elsewhere are neither read nor written. */
function folderIn(cwd: string, name: string): string {
  const out = leadsOut(cwd, name);
  if (out === null) return join(cwd, name);
  throw new PlimsollError(
    "bad-input",
    `${name} leads out of this folder, to ${out}: nothing is read or written there. If intended, set "sessions" in ${PERSONS_FILE}, or PLIMSOLL_SESSIONS`,
    { folder: out },
  );
}

/**
 * The session that options want to go on with; `null` for a new one.
 *
 * @throws PlimsollError `bad-input` if it is not there.
 */
export async function resumedId(options: SessionOptions, sessions: SessionStore): Promise<string | null> {
  const { resume } = options;
  if (resume === undefined) return null;
  const stored = await sessions.list();
  if (resume !== true && stored.some(({ sessionId }) => sessionId === resume)) return resume;
  const own = stored.filter(({ parentId }) => parentId === null).map(({ sessionId }) => sessionId);
  const [latest] = own;
  if (resume === true && latest !== undefined) return latest;
  if (resume === true) throw new PlimsollError("bad-input", "there is no session to resume");
  const advice = latest === undefined ? "there is none yet" : suggestion(resume, own.slice(0, TOLD_SESSIONS));
  throw new PlimsollError("bad-input", `there is no session ${resume}: ${advice}`, { resume });
}

const TOLD_SESSIONS = 5;

const RANDOM_CHARS = 6;

/** Sortable by time, and different for two that start at once. */
export function newSessionId(nowMs: number): string {
  const time = new Date(nowMs).toISOString().slice(0, 19).split(":").join("").split("-").join("");
  return `${time}-${randomUUID().slice(0, RANDOM_CHARS)}`;
}
