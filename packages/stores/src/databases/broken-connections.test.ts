import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import pg from "pg";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appendsOverRestart, brokenAtEachStep, OPERATIONS, type Operation } from "../../testing/broken-connections.ts";
import { type CuttingRelay, startCuttingRelay } from "../../testing/cutting-relay.ts";
import { type DatabaseServer, hasPostgres, hasRedis, startPostgres, startRedis } from "../../testing/database-servers.ts";
import { createPostgresStore } from "./postgres.ts";
import { createRedisStore } from "./redis.ts";
import type { DatabaseStore } from "./table-store.ts";

interface Client {
  readonly store: DatabaseStore;
  close(): Promise<unknown>;
}

/** A client as docs/stores.md has it, and one that gives up soon, so that a test need not wait for a minute. */
const CLIENTS: readonly {
  readonly client: string;
  readonly isHere: boolean;
  readonly start: () => Promise<DatabaseServer>;
  readonly usual: (port: number) => Promise<Client>;
  readonly hasty: (port: number) => Promise<Client>;
}[] = [
  { client: "pg", isHere: hasPostgres, start: startPostgres, usual: byPg, hasty: byPg },
  {
    client: "ioredis",
    isHere: hasRedis,
    start: startRedis,
    usual: (port) => byIoredis(new Redis({ port })),
    hasty: (port) => byIoredis(new Redis({ port, maxRetriesPerRequest: 0, retryStrategy: () => 5 })),
  },
  {
    client: "redis",
    isHere: hasRedis,
    start: startRedis,
    usual: (port) => byRedis(createClient({ socket: { port, host: "127.0.0.1" } })),
    hasty: (port) =>
      byRedis(createClient({ socket: { port, host: "127.0.0.1", reconnectStrategy: () => 5 }, disableOfflineQueue: true })),
  },
];

async function byPg(port: number): Promise<Client> {
  const pool = new pg.Pool({ host: "127.0.0.1", port, user: "postgres", database: "postgres", max: 4 });
  const store = createPostgresStore(pool);
  await store.setUp();
  return { store, close: () => pool.end() };
}

async function byIoredis(redis: Redis): Promise<Client> {
  redis.on("error", () => undefined);
  const store = createRedisStore(([command = "", ...args]) => redis.call(command, ...args));
  await store.setUp();
  return { store, close: async () => redis.disconnect() };
}

async function byRedis(made: ReturnType<typeof createClient>): Promise<Client> {
  const redis = await made.on("error", () => undefined).connect();
  const store = createRedisStore((args) => redis.sendCommand(args));
  await store.setUp();
  return { store, close: async () => redis.destroy() };
}

test("docs/stores.md says of each client what is played here", () => {
  const [first, ...rest] = CLIENTS.map(({ client }) => `\`${client}\``).reverse();
  const named = `${rest.reverse().join(", ")} and ${first}`;
  expect(readFileSync(join(import.meta.dirname, "../../../../docs/stores.md"), "utf8")).toContain(
    `nothing twice with ${named} (`,
  );
});

const operations = Object.keys(OPERATIONS).filter((name): name is Operation => name in OPERATIONS);

describe.each(CLIENTS)("a store by $client", ({ isHere, start, usual, hasty }) => {
  let server: DatabaseServer;
  let relay: CuttingRelay;
  beforeAll(async () => {
    if (!isHere) return;
    server = await start();
    relay = await startCuttingRelay(server.socketFile);
  });
  afterAll(async () => {
    await relay?.close();
    await server?.stop();
  });

  test.skipIf(!isHere).each(operations)(
    "%s: the connection is cut at each step, and nothing is lost or twice",
    async (operation) => {
      const client = await usual(relay.port);
      const count = await brokenAtEachStep({ sessions: client.store.sessions, relay }, { operation, network: "up" });
      expect(count).toBeGreaterThan(0);
      await client.close();
    },
  );

  test.skipIf(!isHere).each(operations)(
    "%s: all connections are cut at each step until the caller is told",
    async (operation) => {
      const client = await hasty(relay.port);
      const count = await brokenAtEachStep({ sessions: client.store.sessions, relay }, { operation, network: "down" });
      expect(count).toBeGreaterThan(0);
      await client.close();
    },
  );

  test.skipIf(!isHere)("the server is killed and starts again", async () => {
    const client = await usual(relay.port);
    await appendsOverRestart(client.store.sessions, server.restart);
    await client.close();
  });
});
