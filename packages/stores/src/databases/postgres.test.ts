import type { SessionEntry } from "@plimsoll/core";
import { human, sessionStart } from "@plimsoll/core/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DatabaseServer, hasPostgres, startPostgres } from "../../testing/database-servers.ts";
import { DATABASE_STORE_RULES, type MakeStore } from "../../testing/store-rules.ts";
import { ARTIFACT_STORE_CONTRACT } from "../testing/artifact-store-contract.ts";
import { SESSION_STORE_CONTRACT } from "../testing/session-store-contract.ts";
import { createPostgresStore } from "./postgres.ts";

type PostgresPool = Parameters<typeof createPostgresStore>[0];

const START = { ...sessionStart("system"), id: "one" };

/** A pool whose commit of that number takes effect, and whose answer is lost while something else happens. */
function losing(pool: PostgresPool, atCommit: number, meanwhile: () => Promise<unknown>): PostgresPool {
  let commits = 0;
  return {
    on: pool.on.bind(pool),
    listeners: pool.listeners.bind(pool),
    connect: async () => {
      const connection = await pool.connect();
      const query: typeof connection.query = async (text, values) => {
        const answer = await connection.query(text, values);
        commits += text === "commit" ? 1 : 0;
        return text === "commit" && commits === atCommit
          ? await meanwhile().then(() => Promise.reject(new Error("lost")))
          : answer;
      };
      const { on, listeners } = connection;
      return { on, listeners, query, release: (destroy) => connection.release(destroy) };
    },
  };
}

const said = (id: string, text = "text"): SessionEntry => ({ type: "message", message: human(id, text) });

describe.skipIf(!hasPostgres)("a store in PostgreSQL", () => {
  let server: DatabaseServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ host: server.socket, user: "postgres", database: "postgres", max: 8 });
    pool.on("error", () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });
  const make: MakeStore = async (options) => {
    const store = createPostgresStore(pool, options);
    await store.setUp();
    await pool.query("truncate plimsoll_log, plimsoll_entry, plimsoll_append, plimsoll_artifact, plimsoll_handle");
    return store;
  };

  test.each(SESSION_STORE_CONTRACT)("$rule", ({ run }) => run(async () => (await make()).sessions));
  test.each(ARTIFACT_STORE_CONTRACT)("$rule", ({ run }) => run(async () => (await make()).artifacts));
  test.each(DATABASE_STORE_RULES)("$rule", ({ run }) => run(async () => make));

  test("a log of another writer is not taken for one's own if an answer is lost", async () => {
    const { sessions } = await make();
    await sessions.create(START);
    const other = createPostgresStore(losing(pool, 1, async () => undefined));
    await expect(other.sessions.create(START)).rejects.toMatchObject({ code: "session-conflict" });
  });

  test("a branch names the artifacts that its entries name, and no later ones", async () => {
    const { sessions, artifacts } = await make();
    const [named, later] = [await artifacts.put("named"), await artifacts.put("later")];
    const writer = await sessions.create(START);
    for (const handle of [named, later]) await writer.append([said(handle, `see ${handle}`)]);
    await (await sessions.branch({ sessionId: "one", throughEntryId: named, newSessionId: "two", nowMs: 7 })).writer.close();
    await writer.close();
    const { rows } = await pool.query("select handle from plimsoll_handle where session_id = 'two'");
    expect(rows).toEqual([{ handle: named }]);
  });

  test("an append whose answer was lost is found after another writer has written, and the next one is a conflict", async () => {
    const store = await make({ leaseMs: 0 });
    const takeOver = async () => {
      const { writer } = await store.sessions.open("one");
      await writer.append([said("h2")]);
    };
    const writer = await createPostgresStore(losing(pool, 2, takeOver), { leaseMs: 0 }).sessions.create(START);
    await writer.append([said("h1")]);
    await expect(writer.append([said("h3")])).rejects.toMatchObject({ code: "session-conflict" });
    expect((await store.sessions.read("one"))?.entries).toEqual([START, said("h1"), said("h2")]);
  });

  test("a set-up adds to the tables of an earlier version what they lack, and their logs go on", async () => {
    const store = await make();
    await (await store.sessions.create(START)).close();
    await pool.query("drop table plimsoll_append");
    await store.setUp();
    const { writer } = await store.sessions.open("one");
    await writer.append([said("h1")]);
    await writer.close();
    expect((await store.sessions.read("one"))?.entries).toEqual([START, said("h1")]);
  });

  test("a server that ends all connections, idle ones and those of an append, ends no process of its clients", async () => {
    await make();
    const own = new pg.Pool({ host: server.socket, user: "postgres", database: "postgres", application_name: "own" });
    const { sessions } = createPostgresStore(own);
    const writer = await sessions.create(START);
    const terminate = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'own'";
    const entries = Array.from({ length: 20 }, (_, index) => said(`h${index}`));
    for (const entry of entries) await Promise.all([writer.append([entry]), pool.query(terminate)]);
    await writer.close();
    expect((await sessions.read("one"))?.entries).toEqual([START, ...entries]);
    await own.end();
  });

  test("replicas that start at once all set up", async () => {
    await make();
    await pool.query("drop table plimsoll_log, plimsoll_entry, plimsoll_append, plimsoll_artifact, plimsoll_handle");
    await Promise.all(Array.from({ length: 8 }, () => createPostgresStore(pool).setUp()));
    await (await createPostgresStore(pool).sessions.create(START)).close();
  });

  test("two stores take a log at the same time, and one of them gets it", async () => {
    const { sessions } = await make();
    await (await sessions.create(START)).close();
    const opened = await Promise.allSettled(Array.from({ length: 8 }, () => createPostgresStore(pool).sessions.open("one")));
    expect(opened.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});
