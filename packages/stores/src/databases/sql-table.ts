import type { SessionSummary } from "@plimsoll/core";
import { bytesOf, type LogTable, type NewLines } from "./log-table.ts";

/** A value in a statement: text, or a number without a fraction below 2^53. */
export type SqlValue = string | number | null;

/** A row of an answer, by column. */
type SqlRow = Readonly<Record<string, unknown>>;

/** Runs statements of one transaction. Their values are `?1`, `?2` and so on. */
export interface SqlRun {
  /** Runs a `select` and returns its rows. */
  rows(statement: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** How many rows any other statement changed. */
  change(statement: string, values?: readonly SqlValue[]): Promise<number>;
}

/** A database that understands SQL. */
export interface SqlDatabase {
  /** Runs the statements that the work asks for as one: all of them take effect or, if the work rejects, none. Writers wait for each other. */
  transaction<T>(work: (sql: SqlRun) => Promise<T>): Promise<T>;
  /** An expression for the database's own time, in milliseconds since 1970. */
  readonly nowMs: string;
  /** A statement that makes set-ups wait for each other, until the end of its transaction; `null` if transactions do so anyway. */
  readonly lockOfSetUp: string | null;
}

/** The tables. Times and sizes are floating-point numbers, which every database gives back as numbers, exact up to 2^53. */
const TABLES = [
  `create table if not exists plimsoll_log (
    session_id text primary key, entry_count integer not null, bytes double precision not null,
    holder text, lease_until_ms double precision not null, created_ms double precision, updated_ms double precision not null,
    parent_id text, title text)`,
  "create index if not exists plimsoll_log_updated on plimsoll_log (updated_ms)",
  "create index if not exists plimsoll_log_parent on plimsoll_log (parent_id)",
  `create table if not exists plimsoll_entry (
    session_id text not null, place integer not null, line text not null, primary key (session_id, place))`,
  // The last append of each writer that did not close.
  `create table if not exists plimsoll_append (
    session_id text not null, holder text not null, append_number integer not null, primary key (session_id, holder))`,
  "create table if not exists plimsoll_artifact (handle text primary key, content text not null, put_ms double precision not null)",
  `create table if not exists plimsoll_handle (
    handle text not null, session_id text not null, primary key (handle, session_id))`,
  "create index if not exists plimsoll_handle_session on plimsoll_handle (session_id)",
];

/** Session logs in a database with SQL: a row for each log, entry, artifact, and use of an artifact. */
export function createSqlTable({ transaction, nowMs, lockOfSetUp }: SqlDatabase): LogTable {
  const ask: SqlRun["rows"] = (statement, values) => transaction((sql) => sql.rows(statement, values));
  const change: SqlRun["change"] = (statement, values) => transaction((sql) => sql.change(statement, values));
  const isFree = `(holder is null or lease_until_ms <= ${nowMs})`;
  const isOrphan = "not exists (select 1 from plimsoll_handle u where u.handle = plimsoll_artifact.handle)";

  return {
    setUp: () =>
      transaction(async (sql) => {
        if (lockOfSetUp !== null) await sql.rows(lockOfSetUp);
        for (const statement of TABLES) await sql.change(statement);
      }),
    create: ({ sessionId, createdMs, parentId, count, copyOf, holder, leaseMs }, added) =>
      transaction(async (sql) => {
        const canCopy = copyOf === null || ((await countOf(sql, copyOf)) ?? 0) >= count;
        const insert = `insert into plimsoll_log (session_id, entry_count, bytes, holder, lease_until_ms, created_ms, updated_ms, parent_id, title)
           values (?1, ?2, ?3, ?4, ${nowMs} + ?5, ?6, ${nowMs}, ?7, ?8) on conflict (session_id) do nothing`;
        const values = [sessionId, count, added.bytes, holder, leaseMs, createdMs, parentId, added.title];
        if (canCopy && (await sql.change(insert, values)) > 0) {
          await insertLines(sql, { sessionId, from: 0 }, added);
          if (copyOf !== null) await sql.change(COPY, [sessionId, copyOf, count]);
          return "created";
        }
        const select = `select holder, ${isFree} as is_free from plimsoll_log where session_id = ?1`;
        const [there] = await sql.rows(select, [sessionId]);
        if (there === undefined) return "absent";
        if (there.holder === holder) return "created";
        return there.is_free ? "exists" : "held";
      }),
    take: (sessionId, { holder, leaseMs }) =>
      transaction(async (sql) => {
        const taken = await sql.change(
          `update plimsoll_log set holder = ?2, lease_until_ms = ${nowMs} + ?3 where session_id = ?1 and (holder = ?2 or ${isFree})`,
          [sessionId, holder, leaseMs],
        );
        if (taken > 0) return "taken";
        return (await countOf(sql, sessionId)) === null ? "absent" : "held";
      }),
    append: ({ sessionId, expectedCount, holder, leaseMs, appendNumber, answeredNumber }, added) =>
      transaction(async (sql) => {
        // Earlier work of this writer that is still under way ends first: it has the row.
        const isHolder = await sql.change(
          `update plimsoll_log set lease_until_ms = ${nowMs} + ?3 where session_id = ?1 and holder = ?2`,
          [sessionId, holder, leaseMs],
        );
        const own = [sessionId, holder];
        const [row] = await sql.rows("select append_number from plimsoll_append where session_id = ?1 and holder = ?2", own);
        const last = row === undefined ? 0 : (numberOf(row, "append_number") ?? 0);
        if (last === appendNumber) return "appended";
        if (isHolder === 0 || last > appendNumber) return { foundCount: await countOf(sql, sessionId) };
        if (last > answeredNumber) await takeBack(sql, sessionId, expectedCount);
        const updated = await sql.change(
          `update plimsoll_log set entry_count = entry_count + ?4, bytes = bytes + ?5, updated_ms = ${nowMs},
           title = coalesce(title, ?6) where session_id = ?1 and holder = ?2 and entry_count = ?3`,
          [sessionId, holder, expectedCount, added.lines.length, added.bytes, added.title],
        );
        if (updated === 0) return { foundCount: await countOf(sql, sessionId) };
        await sql.change(
          `insert into plimsoll_append (session_id, holder, append_number) values (?1, ?2, ?3)
           on conflict (session_id, holder) do update set append_number = excluded.append_number`,
          [...own, appendNumber],
        );
        await insertLines(sql, { sessionId, from: expectedCount }, added);
        return "appended";
      }),
    holderOf: async (sessionId) =>
      textsOf(await ask("select holder from plimsoll_log where session_id = ?1", [sessionId]), "holder")[0] ?? null,
    count: (sessionId) => transaction((sql) => countOf(sql, sessionId)),
    lines: async (sessionId, from, count) => {
      const values = [sessionId, from, from + count];
      const select = "select line from plimsoll_entry where session_id = ?1 and place >= ?2 and place < ?3 order by place";
      return textsOf(await ask(select, values), "line");
    },
    summaries: async () => (await ask("select * from plimsoll_log order by updated_ms desc, session_id")).map(summaryOf),
    release: async (sessionId, holder) => {
      const own = [sessionId, holder];
      await transaction(async (sql) => {
        await sql.change("update plimsoll_log set holder = null where session_id = ?1 and holder = ?2", own);
        await sql.change("delete from plimsoll_append where session_id = ?1 and holder = ?2", own);
      });
    },
    remove: (sessionId, { artifactGraceMs, holder }) =>
      transaction(async (sql) => {
        const removed = await sql.change(
          `delete from plimsoll_log where session_id = ?1 and ${holder === null ? isFree : "holder = ?2"}`,
          holder === null ? [sessionId] : [sessionId, holder],
        );
        if (removed === 0) return (await countOf(sql, sessionId)) === null ? "removed" : "held";
        const handles = textsOf(
          await sql.rows("select handle from plimsoll_handle where session_id = ?1", [sessionId]),
          "handle",
        );
        await sql.change("delete from plimsoll_entry where session_id = ?1", [sessionId]);
        await sql.change("delete from plimsoll_append where session_id = ?1", [sessionId]);
        await sql.change("delete from plimsoll_handle where session_id = ?1", [sessionId]);
        for (const handle of handles)
          await sql.change(`delete from plimsoll_artifact where handle = ?1 and put_ms <= ${nowMs} - ?2 and ${isOrphan}`, [
            handle,
            artifactGraceMs,
          ]);
        return "removed";
      }),
    childrenOf: async (sessionId) =>
      textsOf(await ask("select session_id from plimsoll_log where parent_id = ?1", [sessionId]), "session_id"),
    unwrittenFor: async (ms) =>
      textsOf(await ask(`select session_id from plimsoll_log where updated_ms <= ${nowMs} - ?1`, [ms]), "session_id"),
    putArtifact: async (handle, json) => {
      const insert = `insert into plimsoll_artifact (handle, content, put_ms) values (?1, ?2, ${nowMs})`;
      await change(`${insert} on conflict (handle) do update set put_ms = excluded.put_ms`, [handle, json]);
    },
    artifact: async (handle) =>
      textsOf(await ask("select content from plimsoll_artifact where handle = ?1", [handle]), "content")[0] ?? null,
    removeOrphans: async (olderThanMs) => {
      await change(`delete from plimsoll_artifact where put_ms <= ${nowMs} - ?1 and ${isOrphan}`, [olderThanMs]);
    },
  };
}

const COPY = `insert into plimsoll_entry (session_id, place, line)
  select ?1, place, line from plimsoll_entry where session_id = ?2 and place > 0 and place < ?3`;

async function insertLines(
  sql: SqlRun,
  at: { readonly sessionId: string; readonly from: number },
  added: NewLines,
): Promise<void> {
  for (const [index, line] of added.lines.entries())
    await sql.change("insert into plimsoll_entry (session_id, place, line) values (?1, ?2, ?3)", [
      at.sessionId,
      at.from + index,
      line,
    ]);
  for (const handle of added.handles)
    await sql.change("insert into plimsoll_handle (handle, session_id) values (?1, ?2) on conflict do nothing", [
      handle,
      at.sessionId,
    ]);
}

/** Removes lines that a rejected append left behind the entries that its writer knows of. */
async function takeBack(sql: SqlRun, sessionId: string, fromPlace: number): Promise<void> {
  const from = [sessionId, fromPlace];
  const lines = textsOf(await sql.rows("select line from plimsoll_entry where session_id = ?1 and place >= ?2", from), "line");
  await sql.change("delete from plimsoll_entry where session_id = ?1 and place >= ?2", from);
  await sql.change("update plimsoll_log set entry_count = ?2, bytes = bytes - ?3 where session_id = ?1", [
    ...from,
    bytesOf(lines),
  ]);
}

async function countOf(sql: SqlRun, sessionId: string): Promise<number | null> {
  const [row] = await sql.rows("select entry_count from plimsoll_log where session_id = ?1", [sessionId]);
  return row === undefined ? null : numberOf(row, "entry_count");
}

function summaryOf(row: SqlRow): SessionSummary {
  return {
    sessionId: textOf(row, "session_id") ?? "",
    createdMs: numberOf(row, "created_ms"),
    updatedMs: numberOf(row, "updated_ms"),
    parentId: textOf(row, "parent_id"),
    bytes: numberOf(row, "bytes") ?? 0,
    title: textOf(row, "title"),
  };
}

function textsOf(rows: readonly SqlRow[], column: string): readonly string[] {
  return rows.map((row) => textOf(row, column)).filter((text) => text !== null);
}

function textOf(row: SqlRow, column: string): string | null {
  const value = row[column];
  return typeof value === "string" ? value : null;
}

function numberOf(row: SqlRow, column: string): number | null {
  const value = row[column];
  return typeof value === "number" ? value : null;
}
