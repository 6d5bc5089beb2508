import { existsSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import process from "node:process";
import { LOCATED_AGENTS } from "@plimsoll/bench/extend";
import { type CliIo, newestLog, printable, programOf, say } from "@plimsoll/bench/terminal";
import { PlimsollError } from "@plimsoll/core";
import { suggestion } from "@plimsoll/core/extend";
import { createFileSessionStore } from "@plimsoll/stores";
import { readConfig } from "../config/read-config.ts";
import { sessionsFolderOf } from "../run/stored-sessions.ts";

/** The log that a person named: a file, else the id of a session in this place. Throws `bad-input` if there is neither, with the nearest of other `names`. */
export function sessionFile(
  session: string,
  { cwd, homeFolder }: CliIo,
  names: readonly string[] = [],
): { readonly path: string; readonly displayName: string } {
  const path = resolve(cwd, session);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return { path, displayName: session };
  if (found !== undefined)
    throw new PlimsollError("bad-input", `${session} is not a file; give a session log, or a session's id`);
  const folder = sessionsFolderOf(cwd, readConfig({ cwd, homeFolder, environment: process.env, flags: {} }));
  const log = join(folder, `${session}.jsonl`);
  const isId = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/.test(session);
  if (isId && statSync(log, { throwIfNoEntry: false })?.isFile()) return { path: log, displayName: relative(cwd, log) };
  const near = suggestion(session, names, "");
  throw new PlimsollError(
    "bad-input",
    `${session}: no such file${isId ? `, and no session with that id in ${relative(cwd, folder) || "."}${names.length === 0 ? "" : " or the agents' logs"}` : ""}${near === "" ? "" : `: ${near}`}`,
    { session },
  );
}

/** The log that a person named by its path or id, else by a part of the name of an agent's log. Throws `bad-input` if there is none, or several. */
export async function sessionFileOf(session: string, io: CliIo): Promise<ReturnType<typeof sessionFile>> {
  try {
    return sessionFile(session, io, LOCATED_AGENTS);
  } catch (error) {
    const found = /^[\w.-]+$/.test(session) ? await newestLog(null, io, { id: session }) : null;
    if (found === null) throw error;
    return found;
  }
}

/**
 * The log to look at: the one that a person named, else the newest of an agent, else the newest of this folder, of any agent; it then prints which one. A file
 * with an agent's name is that file. Throws `bad-input` if there is none.
 */
export async function sessionFileOr(
  session: string | undefined,
  from: string | undefined,
  io: CliIo,
): Promise<{ readonly path: string; readonly displayName: string; readonly agent?: string }> {
  if (session !== undefined && from !== undefined)
    throw new PlimsollError(
      "bad-input",
      "give a log or a session's id, or --from AGENT for the newest log of an agent, not both",
    );
  const isAgent = LOCATED_AGENTS.some((agent) => agent === session) && !existsSync(resolve(io.cwd, session ?? ""));
  const named = session === undefined ? undefined : statSync(resolve(io.cwd, session), { throwIfNoEntry: false });
  const folder = named?.isDirectory() ? session : undefined;
  if (session !== undefined && !isAgent && folder === undefined) return sessionFileOf(session, io);
  const agent = from ?? folder ?? session ?? null;
  const [log, own] = await Promise.all([
    folder === undefined ? newestLog(agent, io, { folder: agent === null ? io.cwd : null }) : null,
    agent === null || folder !== undefined ? newestOwn(io, folder) : null,
  ]);
  const newest = own !== null && own.modifiedMs >= (log?.modifiedMs ?? 0) ? own : log;
  if (newest === null) {
    const where = agent === null ? "no session of this folder" : `no log of ${agent}`;
    throw new PlimsollError(
      "bad-input",
      `${where} was found: name a log, an id that ${programOf(io)} advise lists, or an agent for its newest (${LOCATED_AGENTS.join(", ")})`,
    );
  }
  const which = agent === null ? "of this folder" : `of ${agent}`;
  const time = new Date(newest.modifiedMs).toISOString().slice(0, "2026-01-31T12:00".length).replace("T", " ");
  say(io.stdout, `The newest session ${which} (${newest.agent}, ${time} UTC):`, `  ${printable(newest.displayName)}`);
  return newest;
}

/** The newest log of Plimsoll's own in a folder, by default in this project's. */
async function newestOwn({ cwd, homeFolder, environment = process.env }: CliIo, given?: string) {
  const folder = resolve(cwd, given ?? sessionsFolderOf(cwd, readConfig({ cwd, homeFolder, environment, flags: {} })));
  const newest = (await createFileSessionStore({ folder }).list()).find(({ parentId }) => parentId === null);
  if (newest === undefined) return null;
  const path = join(folder, `${newest.sessionId}.jsonl`);
  return { path, displayName: relative(cwd, path), agent: "plimsoll", modifiedMs: newest.updatedMs ?? 0 };
}
