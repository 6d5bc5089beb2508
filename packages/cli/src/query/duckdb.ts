import type { DuckDBConnection } from "@duckdb/node-api";
import { PlimsollError } from "@plimsoll/core";

/** What of DuckDB's package is used. */
type DuckDb = Pick<typeof import("@duckdb/node-api"), "DuckDBInstance">;

/** An answer as rows of plain values, a column's at the place of its name. */
export interface QueryAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Lets SQL be asked. */
export interface Database {
  /** Throws `bad-input` with DuckDB's own first line if the statement is wrong, and with one of ours if it is empty. */
  ask(sql: string): Promise<QueryAnswer>;
  close(): void;
}

const WHOLE = new Set(["BIGINT", "HUGEINT", "UBIGINT", "UHUGEINT"]);

/** Opens a database in memory that asks no network for extensions. Throws `bad-input` with what to install if DuckDB is not there. */
export async function openDatabase(load: () => Promise<DuckDb> = () => import("@duckdb/node-api")): Promise<Database> {
  const { DuckDBInstance } = await load().catch((cause: unknown) => {
    const why =
      cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND" ? "" : ` (${firstLine(cause)})`;
    throw new PlimsollError(
      "bad-input",
      `plimsoll query needs DuckDB, which does not load${why}: npm install @duckdb/node-api where plimsoll is installed, or read the Parquet files with another program`,
      {},
      cause,
    );
  });
  const instance = await DuckDBInstance.create(":memory:", { autoinstall_known_extensions: "false" });
  const connection = await instance.connect();
  return {
    ask: (sql) => askOf(connection, sql),
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function askOf(connection: DuckDBConnection, sql: string): Promise<QueryAnswer> {
  const reader = await connection.runAndReadAll(sql).catch((cause: unknown) => {
    throw new PlimsollError("bad-input", firstLine(cause), {}, cause);
  });
  // Every statement has a column, be it "Success"; a comment alone has none.
  if (reader.columnCount === 0)
    throw new PlimsollError("bad-input", 'the statement is empty; give one, such as "select * from rows limit 1"');
  const isWhole = reader.columnTypes().map((type) => WHOLE.has(String(type)));
  const rows = reader
    .getRowsJson()
    .map((row) => row.map((value, place) => (isWhole[place] === true ? numberOf(value) : value)));
  return { columns: reader.deduplicatedColumnNames(), rows };
}

/** Whole numbers come as texts, since they may be longer than a number can be. */
function numberOf(value: unknown): unknown {
  const number = typeof value === "string" ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : value;
}

function firstLine(cause: unknown): string {
  const [line = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
  return line;
}
