import { type Simulator, startSimulator } from "@plimsoll/simulator";
import { createPostgresStore } from "@plimsoll/stores/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask } from "./person.ts";
import { hasPostgres, type Postgres, startPostgres } from "./postgres.ts";
import { type Replica, startReplica } from "./replica.ts";
import { scriptedModel } from "./scripted-model.ts";
import { startTurnstile, type Turnstile } from "./turnstile.ts";

const STEPS_EACH = 6;
const MESSAGES = 5;
const CONVERSATIONS = ["one", "two", "three"];

describe.skipIf(!hasPostgres)("two replicas on one PostgreSQL", () => {
  let database: Postgres;
  let simulator: Simulator;
  let turnstile: Turnstile;
  let replicas: readonly Replica[] = [];
  beforeAll(async () => {
    database = startPostgres();
    simulator = await startSimulator({ replies: scriptedModel(STEPS_EACH), contextWindowTokens: 20_000 });
    turnstile = await startTurnstile(simulator.url, "You write records of finished work");
    const environment = {
      PGHOST: database.connection.host,
      PGUSER: database.connection.user,
      PGDATABASE: database.connection.database,
      ANTHROPIC_BASE_URL: turnstile.url,
      ANTHROPIC_API_KEY: "any",
      WINDOW_TOKENS: "20000",
      LEASE_MS: "2000",
    };
    replicas = await Promise.all([startReplica(environment), startReplica(environment)]);
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.kill()));
    await turnstile.close();
    await simulator.close();
    database.stop();
  });

  test("one is killed in the middle of a compaction: no entry is lost, nothing is paid for twice, the other goes on", async () => {
    const [first, second] = replicas;
    if (first === undefined || second === undefined) throw new Error("there are two replicas");
    const send = async (conversationId: string, urls: readonly string[], numbers: readonly number[]) => {
      for (const number of numbers) await ask(urls, { conversationId, number, text: `Message ${number}: read on.` });
    };
    const killed = turnstile.held.then(first.kill);
    // "one" is with the replica that dies, in the middle of its first compaction; "two" was with it before, "three" never was.
    await send("two", [first.url], [1]);
    await Promise.all([send("one", [first.url, second.url], [1, 2, 3, 4, 5]), killed]);
    await Promise.all([send("two", [first.url, second.url], [2, 3, 4, 5]), send("three", [second.url], [1, 2, 3, 4, 5])]);

    const pool = new pg.Pool(database.connection);
    const { sessions } = createPostgresStore(pool);
    const logs = await Promise.all(CONVERSATIONS.map(async (id) => (await sessions.read(id))?.entries ?? []));
    await pool.end();
    const said = logs.map((log) =>
      log.flatMap((entry) =>
        entry.type === "message" && entry.message.role === "user" && entry.message.origin === "human"
          ? [entry.message.parts]
          : [],
      ),
    );
    const texts = Array.from({ length: MESSAGES }, (_, index) => [{ type: "text", text: `Message ${index + 1}: read on.` }]);
    expect(said).toEqual(CONVERSATIONS.map(() => texts));
    const pages = logs.map(
      (log) => log.filter((entry) => entry.type === "message" && entry.message.role === "tool-result").length,
    );
    expect(pages).toEqual(CONVERSATIONS.map(() => MESSAGES * (STEPS_EACH - 1)));
    // The used tokens in the logs, summaries included, are those of the provider's answers: the request that was cut off never reached it.
    const edits = logs.flatMap((log) => log.flatMap((entry) => (entry.type === "compaction" ? entry.edits : [])));
    const summaries = edits.flatMap((edit) => (edit.kind === "replace-spans" && edit.usage !== null ? [edit.usage] : []));
    const requests = logs.flatMap((log) => log.flatMap((entry) => (entry.type === "usage" ? [entry.usage] : [])));
    const paidTokens = [...requests, ...summaries].reduce((sum, { input }) => sum + (input.totalTokens ?? 0), 0);
    expect(summaries).toHaveLength(CONVERSATIONS.length);
    expect(requests).toHaveLength(CONVERSATIONS.length * MESSAGES * STEPS_EACH);
    expect(simulator.exchanges().reduce((sum, { promptTokens }) => sum + (promptTokens ?? 0), 0)).toBe(paidTokens);
  });
});
