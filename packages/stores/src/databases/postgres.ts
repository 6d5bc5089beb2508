import { option } from "@plimsoll/core/extend";
import { createSqlTable, type SqlRun, type SqlValue } from "./sql-table.ts";
import { createTableStore, DATABASE_OPTIONS, type DatabaseStore, type DatabaseStoreOptions } from "./table-store.ts";

/** The part of a connection of `pg` 8 that is used. */
interface PostgresConnection {
  on(event: "error", listener: (error: Error) => void): unknown;
  listeners(event: "error"): readonly unknown[];
  query(
    statement: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[]; readonly rowCount: number | null }>;
  release(destroy?: boolean): void;
}

/** The part of a `Pool` of `pg` 8 that is used. Its size, its time-outs and its end are the caller's. */
interface PostgresPool {
  connect(): Promise<PostgresConnection>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "acquire", listener: (connection: PostgresConnection) => void): unknown;
  listeners(event: "error" | "acquire"): readonly unknown[];
}

/** A broken connection raises an event that ends the process if it has no listener, and fails the query that it breaks, which handles it. */
const ignoreBreak = (): void => undefined;

/** The pool listens to a connection only while it is idle. This is called before it stops. */
const listenToBreak = (connection: PostgresConnection): void => {
  if (!connection.listeners("error").includes(ignoreBreak)) connection.on("error", ignoreBreak);
};

/** Makes a store of session logs and artifacts in PostgreSQL (12 or newer), on the caller's pool of `pg`. The tables are named `plimsoll_…`, in the first schema of the search path. */
export function createPostgresStore(pool: PostgresPool, options?: DatabaseStoreOptions): DatabaseStore {
  option.check("a PostgreSQL store", option.having("connect", "listeners", "on"), pool);
  option.check("a PostgreSQL store", DATABASE_OPTIONS, options);
  if (!pool.listeners("error").includes(ignoreBreak)) pool.on("error", ignoreBreak);
  if (!pool.listeners("acquire").includes(listenToBreak)) pool.on("acquire", listenToBreak);
  const transaction = async <T>(work: (sql: SqlRun) => Promise<T>): Promise<T> => {
    const connection = await pool.connect();
    // `?1` as PostgreSQL writes it. The statements are our own, and have no other question mark.
    const ask = (statement: string, values: readonly SqlValue[] = []) =>
      connection.query(statement.replaceAll("?", "$"), [...values]);
    const sql: SqlRun = {
      rows: async (statement, values) => (await ask(statement, values)).rows,
      change: async (statement, values) => (await ask(statement, values)).rowCount ?? 0,
    };
    try {
      await connection.query("begin");
      const result = await work(sql);
      await connection.query("commit");
      connection.release();
      return result;
    } catch (error) {
      const isBack = await connection.query("rollback").then(
        () => true,
        () => false,
      );
      connection.release(!isBack);
      throw error;
    }
  };
  return createTableStore(createSqlTable({ transaction, nowMs: NOW_MS, lockOfSetUp: LOCK_OF_SET_UP }), options);
}

/** "If not exists" does not hold between sessions that create at once: one of them fails. The number is the lock's name, "plim" in ASCII. */
const LOCK_OF_SET_UP = "select pg_advisory_xact_lock(1886153069)";

/** The server's clock, so that replicas with clocks of their own agree. */
const NOW_MS = "(extract(epoch from clock_timestamp()) * 1000)::double precision";
