import process from "node:process";
import { PlimsollError } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { type Fields, numberAt, parseRecord, stringAt } from "../fields.ts";

/** A session in a database of OpenCode, as a path: `opencode.db#ses_1`. */
const SESSION_PATH = /^(.+\.db)#(ses_\w+)$/;

/** The path's database and session; `null` for the path of a file. */
export function storedSession(path: string): { readonly file: string; readonly sessionId: string } | null {
  const [, file, sessionId] = SESSION_PATH.exec(path) ?? [];
  return file === undefined || sessionId === undefined ? null : { file, sessionId };
}

/** The sessions in a database of OpenCode; `null` if this Node has no SQLite (it has from 22.13 on), or the file is no such database. */
export function storedSessions(file: string): readonly { readonly path: string; readonly modifiedMs: number }[] | null {
  try {
    return reading(file, (rows) =>
      rows("select id, time_updated from session").flatMap((row) => {
        const path = `${file}#${stringAt(row, "id") ?? ""}`;
        return storedSession(path) === null ? [] : [{ path, modifiedMs: numberAt(row, "time_updated") ?? 0 }];
      }),
    );
  } catch {
    // Not a database, or one with other tables: it is said that it is not read.
    return null;
  }
}

/**
 * A session of a database as `opencode export` writes it. Tables and columns are those of `packages/opencode/src/session/session.sql.ts` in
 * anomalyco/opencode (read in November 2026): `data` is the message or part as it was in files, without its ids.
 *
 * @throws PlimsollError `bad-input` if it cannot be read.
 */
export function storedSessionText(path: string, displayName: string): string {
  const stored = storedSession(path);
  const unread = (why: string, cause?: unknown) =>
    new PlimsollError("bad-input", `${displayName}: cannot be read (${why})`, { file: displayName }, cause);
  if (stored === null) throw unread("it is not a session of a database");
  const { file, sessionId } = stored;
  try {
    const document = reading(file, (rows) => documentOf(rows, sessionId));
    if (document !== null) return JSON.stringify(document);
  } catch (cause) {
    throw unread(cause instanceof Error ? cause.message : String(cause), cause);
  }
  throw unread("this Node has no SQLite: use Node 22.13 or newer");
}

function documentOf(rows: Rows, sessionId: string): Fields {
  const [session] = rows("select id, version, parent_id, time_created from session where id = ?", sessionId);
  const parts = new Map<string, Fields[]>();
  for (const row of rows("select id, message_id, data from part where session_id = ? order by id", sessionId)) {
    const messageId = stringAt(row, "message_id") ?? "";
    const own = parts.get(messageId) ?? [];
    parts.set(messageId, own);
    own.push({ ...dataOf(row), id: row.id });
  }
  const parentID = stringAt(session, "parent_id");
  const info = {
    id: sessionId,
    version: stringAt(session, "version"),
    time: { created: numberAt(session, "time_created") },
    ...(parentID === null ? {} : { parentID }),
  };
  const messages = rows("select id, data from message where session_id = ? order by id", sessionId).map((row) => ({
    info: { ...dataOf(row), id: row.id },
    parts: parts.get(stringAt(row, "id") ?? "") ?? [],
  }));
  return { info, messages };
}

function dataOf(row: Fields): Fields {
  return parseRecord(stringAt(row, "data") ?? "") ?? {};
}

type Rows = (statement: string, ...values: readonly string[]) => readonly Fields[];

interface NodeSqlite {
  readonly DatabaseSync: new (
    file: string,
    options: { readonly readOnly: true },
  ) => { prepare(statement: string): { all(...values: readonly string[]): unknown[] }; close(): void };
}

function hasDatabase(module: unknown): module is NodeSqlite {
  return isRecord(module) && typeof module.DatabaseSync === "function";
}

/** Reads a database and closes it; `null` if this Node has no SQLite. Nothing is written: the agent may have it open. */
function reading<Read>(file: string, read: (rows: Rows) => Read): Read | null {
  const sqlite: unknown = process.getBuiltinModule?.("node:sqlite");
  if (!hasDatabase(sqlite)) return null;
  const database = new sqlite.DatabaseSync(file, { readOnly: true });
  try {
    return read((statement, ...values) =>
      database
        .prepare(statement)
        .all(...values)
        .filter(isRecord),
    );
  } finally {
    database.close();
  }
}
