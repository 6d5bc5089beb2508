import { chmodSync, closeSync, openSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { PlimsollError } from "@plimsoll/core";
import { createQueue, isRecord, option } from "@plimsoll/core/extend";
import { z } from "zod";
import { createSqlTable, type SqlDatabase, type SqlRun, type SqlValue } from "./sql-table.ts";
import { createTableStore, type DatabaseStore, type DatabaseStoreOptions } from "./table-store.ts";

/** A file for a store, and how the store behaves. */
interface SqliteStoreOptions extends DatabaseStoreOptions {
  /** Path of the database file. It is made if it is not there, readable only by its owner. */
  readonly file: string;
  /** Whose SQLite is used: Node's own, which Node has from 22.5 on, or `@libsql/client`. The first that is there if it is left out. */
  readonly driver?: "node" | "libsql";
}

const OPTIONS = option.schema<SqliteStoreOptions>({
  file: option.text,
  driver: z.enum(["node", "libsql"]).optional(),
  leaseMs: option.count.optional(),
});

/** A store that has a file open. */
interface SqliteStore extends DatabaseStore {
  /** Closes the file. */
  close(): void;
}

/** How long SQLite itself waits for another writer, in milliseconds: nothing else runs in this process meanwhile. Chosen. */
const BUSY_MS = 20;

/** How often a transaction that met another writer is begun again, and the pause between, in milliseconds: ten seconds in all. Chosen. */
const BEGIN_COUNT = 200;
const PAUSE_MS = 30;

/** SQLite's own clock, which is the machine's. */
const NOW_MS = "((julianday('now') - 2440587.5) * 86400000.0)";

/** A file that is open. */
interface Driver extends SqlDatabase {
  close(): void;
}

/**
 * Opens a store of session logs and artifacts in one SQLite file, for the processes of one machine.
 *
 * @throws PlimsollError `bad-input` if no SQLite is available, or the file cannot be opened.
 */
export async function createSqliteStore(given: SqliteStoreOptions): Promise<SqliteStore> {
  option.check("a SQLite store", OPTIONS, given);
  const { file, driver, ...options } = given;
  try {
    closeSync(openSync(file, "a", 0o600));
    chmodSync(file, 0o600);
  } catch (cause) {
    throw new PlimsollError("bad-input", `${file}: cannot be opened as a database; is its folder there?`, { file }, cause);
  }
  const node = driver === "libsql" ? null : openNode(file);
  if (node === null && driver === "node")
    throw new PlimsollError("bad-input", "this Node has no SQLite of its own: use Node 22.13 or newer, or @libsql/client");
  const opened = node ?? (await openLibsql(file));
  return { ...createTableStore(createSqlTable(opened), options), close: opened.close };
}

/** The part of a statement of `node:sqlite` that is used. */
interface NodeStatement {
  all(...values: SqlValue[]): unknown[];
  run(...values: SqlValue[]): { readonly changes: number | bigint };
}

/** The part of `node:sqlite` that is used. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    file: string,
  ) => { prepare(statement: string): NodeStatement; exec(statements: string): void; close(): void };
}

function hasDatabase(module: unknown): module is NodeSqlite {
  return isRecord(module) && typeof module.DatabaseSync === "function";
}

/** Begins a transaction, again and again while another connection writes. */
async function onceFree<T>(begin: () => Promise<T>): Promise<T> {
  for (let count = 1; count < BEGIN_COUNT; count++) {
    try {
      return await begin();
    } catch (error) {
      // Node and libsql say it in this way.
      if (!(error instanceof Error) || !error.message.includes("database is locked")) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
  return await begin();
}

/** Node's own SQLite; `null` if this Node has none. Its one connection has one transaction at a time. */
function openNode(file: string): Driver | null {
  const sqlite: unknown = process.getBuiltinModule?.("node:sqlite");
  if (!hasDatabase(sqlite)) return null;
  const database = new sqlite.DatabaseSync(file);
  const statements = new Map<string, NodeStatement>();
  const prepared = (statement: string): NodeStatement => {
    const made = statements.get(statement) ?? database.prepare(statement);
    statements.set(statement, made);
    return made;
  };
  const sql: SqlRun = {
    rows: async (statement, values = []) =>
      prepared(statement)
        .all(...values)
        .filter(isRecord),
    change: async (statement, values = []) => Number(prepared(statement).run(...values).changes),
  };
  database.exec(`pragma busy_timeout = ${BUSY_MS}; pragma journal_mode = wal`);
  const queue = createQueue();
  return {
    nowMs: NOW_MS,
    lockOfSetUp: null,
    transaction: (work) =>
      queue.run(async () => {
        await onceFree(async () => database.exec("begin immediate"));
        try {
          const result = await work(sql);
          database.exec("commit");
          return result;
        } catch (error) {
          database.exec("rollback");
          throw error;
        }
      }),
    close: () => database.close(),
  };
}

async function openLibsql(file: string): Promise<Driver> {
  const { createClient } = await import("@libsql/client/sqlite3").catch((cause: unknown) => {
    throw new PlimsollError("bad-input", "no SQLite: use Node 22.13 or newer, or install @libsql/client", {}, cause);
  });
  const client = createClient({ url: `file:${file}`, timeout: BUSY_MS });
  await client.executeMultiple("pragma journal_mode = wal");
  const begin = async () => {
    try {
      return await client.transaction("write");
    } catch (error) {
      // A connection that could not begin cannot commit any more, either: its statement stays open (libsql 0.5).
      client.reconnect();
      throw error;
    }
  };
  // A writer of this process waits here, and not in SQLite, which would stop the process until it gave up.
  const queue = createQueue();
  return {
    nowMs: NOW_MS,
    lockOfSetUp: null,
    transaction: (work) =>
      queue.run(async () => {
        const transaction = await onceFree(begin);
        try {
          const ask = (sql: string, values: readonly SqlValue[] = []) => transaction.execute({ sql, args: [...values] });
          const result = await work({
            rows: async (statement, values) => (await ask(statement, values)).rows,
            change: async (statement, values) => (await ask(statement, values)).rowsAffected,
          });
          await transaction.commit();
          return result;
        } finally {
          // Rolls back uncommitted work.
          transaction.close();
        }
      }),
    close: () => client.close(),
  };
}
