import type { SessionEntry } from "@plimsoll/core";
import { human, sessionStart } from "@plimsoll/core/testing";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DatabaseServer, hasRedis, startRedis } from "../../testing/database-servers.ts";
import { DATABASE_STORE_RULES, type MakeStore } from "../../testing/store-rules.ts";
import { ARTIFACT_STORE_CONTRACT } from "../testing/artifact-store-contract.ts";
import { SESSION_STORE_CONTRACT } from "../testing/session-store-contract.ts";
import { createRedisStore } from "./redis.ts";

type SendRedisCommand = Parameters<typeof createRedisStore>[0];

interface Client {
  readonly send: SendRedisCommand;
  close(): void;
}

const clients: readonly { readonly client: string; readonly connect: (socket: string) => Promise<Client> }[] = [
  {
    client: "ioredis",
    connect: async (socket) => {
      const redis = new Redis(socket);
      return { send: ([command = "", ...args]) => redis.call(command, ...args), close: () => redis.disconnect() };
    },
  },
  {
    client: "redis",
    connect: async (path) => {
      const redis = createClient({ socket: { path, tls: false } });
      await redis.connect();
      return { send: (args) => redis.sendCommand(args), close: () => redis.destroy() };
    },
  },
];

describe.skipIf(!hasRedis).each(clients)("a store in Redis by $client", ({ connect }) => {
  let server: DatabaseServer;
  let client: Client;
  let made = 0;
  beforeAll(async () => {
    server = await startRedis();
    client = await connect(server.socket);
  });
  afterAll(async () => {
    client.close();
    await server.stop();
  });
  const make: MakeStore = async (options) => {
    made += 1;
    const store = createRedisStore(client.send, { prefix: `store-${made}`, ...options });
    await store.setUp();
    return store;
  };

  test.each(SESSION_STORE_CONTRACT)("$rule", ({ run }) => run(async () => (await make()).sessions));
  test.each(ARTIFACT_STORE_CONTRACT)("$rule", ({ run }) => run(async () => (await make()).artifacts));
  test.each(DATABASE_STORE_RULES)("$rule", ({ run }) => run(async () => make));

  /** A client whose command of that number is dealt with in another way. */
  const dealing = (atCommand: number, deal: (args: string[]) => Promise<unknown>): SendRedisCommand => {
    let commands = 0;
    return (args) => {
      commands += 1;
      return commands === atCommand ? deal(args) : client.send(args);
    };
  };
  const START = { ...sessionStart("system"), id: "one" };
  const said = (id: string): SessionEntry => ({ type: "message", message: human(id, id) });

  test("an append whose answer was lost is found after another writer has written, and the next one is a conflict", async () => {
    const store = await make({ leaseMs: 0 });
    const takeOver = async (args: string[]) => {
      await client.send(args);
      const { writer } = await store.sessions.open("one");
      await writer.append([said("h2")]);
      throw new Error("lost");
    };
    const { sessions } = createRedisStore(dealing(2, takeOver), { prefix: `store-${made}`, leaseMs: 0 });
    const writer = await sessions.create(START);
    await writer.append([said("h1")]);
    await expect(writer.append([said("h3")])).rejects.toMatchObject({ code: "session-conflict" });
    expect((await store.sessions.read("one"))?.entries).toEqual([START, said("h1"), said("h2")]);
  });

  test("an append that comes late, or once more, changes nothing", async () => {
    const store = await make();
    const late: string[][] = [];
    const keep = async (args: string[]) => {
      late.push(args);
      await client.send(args);
      return await client.send(args);
    };
    const { sessions } = createRedisStore(dealing(2, keep), { prefix: `store-${made}` });
    const writer = await sessions.create(START);
    await writer.append([said("h1")]);
    for (const args of late) await client.send(args);
    await writer.append([said("h2")]);
    for (const args of late) await client.send(args);
    await writer.close();
    for (const args of late) await client.send(args);
    expect((await store.sessions.read("one"))?.entries).toEqual([START, said("h1"), said("h2")]);
  });
});
