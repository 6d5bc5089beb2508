import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import pg from "pg";
import { createPostgresStore } from "../src/databases/postgres.ts";
import { createRedisStore } from "../src/databases/redis.ts";
import { createSqliteStore } from "../src/databases/sqlite.ts";
import type { DatabaseStore } from "../src/databases/table-store.ts";
import { hasPostgres, hasRedis, startPostgres, startRedis } from "./database-servers.ts";

/** A store in a database of its own, and everything that the database holds. */
export interface ReadableDatabase {
  readonly store: DatabaseStore;
  /** All rows, keys and values, or all bytes of the files, as text. */
  contents(): Promise<string>;
  close(): Promise<void>;
}

/** Every kind of database, and whether its server is installed here. */
export const READABLE_DATABASES: readonly {
  readonly name: string;
  readonly isHere: boolean;
  readonly open: () => Promise<ReadableDatabase>;
}[] = [
  { name: "SQLite's file", isHere: true, open: openSqlite },
  { name: "PostgreSQL's tables", isHere: hasPostgres, open: openPostgres },
  { name: "Redis' keys", isHere: hasRedis, open: openRedis },
];

async function openSqlite(): Promise<ReadableDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-contents-"));
  const store = await createSqliteStore({ file: join(folder, "sessions.db") });
  await store.setUp();
  return {
    store,
    contents: async () =>
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), "utf8"))
        .join("\n"),
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openPostgres(): Promise<ReadableDatabase> {
  const server = await startPostgres();
  const pool = new pg.Pool({ host: server.socket, user: "postgres", database: "postgres" });
  const store = createPostgresStore(pool);
  await store.setUp();
  const rowsOf = async (table: string) => JSON.stringify((await pool.query(`select * from ${table}`)).rows);
  return {
    store,
    contents: async () => {
      const tables = await pool.query<{ readonly name: string }>(
        "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
      );
      return (await Promise.all(tables.rows.map(({ name }) => rowsOf(name)))).join("\n");
    },
    close: async () => {
      await pool.end();
      await server.stop();
    },
  };
}

async function openRedis(): Promise<ReadableDatabase> {
  const server = await startRedis();
  const redis = new Redis(server.socket);
  const store = createRedisStore(([command = "", ...args]) => redis.call(command, ...args));
  await store.setUp();
  const readers: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
    string: (key) => redis.get(key),
    list: (key) => redis.lrange(key, 0, -1),
    hash: (key) => redis.hgetall(key),
    set: (key) => redis.smembers(key),
    zset: (key) => redis.zrange(key, "0", "-1"),
  };
  const rowOf = async (key: string) => {
    const type = await redis.type(key);
    const read = readers[type];
    if (read === undefined) throw new Error(`${key} has the type ${type}, which nothing reads here`);
    return JSON.stringify([key, await read(key)]);
  };
  return {
    store,
    contents: async () => (await Promise.all((await redis.keys("*")).map((key) => rowOf(key)))).join("\n"),
    close: async () => {
      redis.disconnect();
      await server.stop();
    },
  };
}
