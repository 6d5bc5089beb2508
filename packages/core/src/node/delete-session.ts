import type { SessionEntry } from "../entry.ts";
import type { SessionStore } from "../ports.ts";
import { encodeEntry } from "../session/codec.ts";
import type { StreamingArtifactStore } from "./file-artifact-store.ts";

/** Where a session's log, and what was cut from its outputs, are kept. */
export interface SessionPlaces {
  readonly sessions: SessionStore;
  readonly artifacts: Pick<StreamingArtifactStore, "delete">;
}

const HANDLE = /artifact:[0-9a-f]{64}/g;

/**
 * Deletes a session with the logs of its sub-agents and the artifacts that no other session names. Reads all logs. Deleting what is not there is fine.
 *
 * @throws PlimsollError `session-conflict` while a writer has one of the logs; `bad-session` if another log is damaged, so that nobody knows what
 * it names: then the artifacts stay.
 */
export async function deleteSession({ sessions, artifacts }: SessionPlaces, sessionId: string): Promise<void> {
  const family = await familyOf(sessions, sessionId);
  const handles = new Set<string>();
  for (const member of family) await eachHandle(sessions, member, (handle) => handles.add(handle));
  try {
    // The session itself goes last: as long as it is there, what is left of a failed attempt can be found.
    for (const member of [...family].reverse()) await sessions.delete(member);
  } finally {
    for (const other of handles.size === 0 ? [] : await sessions.list())
      await eachHandle(sessions, other.sessionId, (handle) => handles.delete(handle));
    for (const handle of handles) await artifacts.delete(handle);
  }
}

/** A session and its sub-agents' sessions, each after its parent. */
async function familyOf(sessions: SessionStore, sessionId: string): Promise<readonly string[]> {
  const all = await sessions.list();
  const family = new Set([sessionId]);
  // A set goes on with what is added to it on the way.
  for (const parent of family) for (const each of all) if (each.parentId === parent) family.add(each.sessionId);
  return [...family];
}

async function eachHandle(sessions: SessionStore, sessionId: string, take: (handle: string) => void): Promise<void> {
  await sessions.read(sessionId, (entry: SessionEntry) => {
    for (const [handle] of encodeEntry(entry).matchAll(HANDLE)) take(handle);
  });
}
