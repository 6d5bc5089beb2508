import { parseArgs } from "node:util";
import { startSimulator } from "@plimsoll/simulator";
import pg from "pg";
import { ask, type Heard } from "./person.ts";
import { startPostgres } from "./postgres.ts";
import { type Replica, startReplica } from "./replica.ts";
import { scriptedModel } from "./scripted-model.ts";

const { values } = parseArgs({
  options: {
    conversations: { type: "string", default: "200" },
    steps: { type: "string", default: "50" },
    /** Model calls for each message of a person. */
    each: { type: "string", default: "5" },
    /** Conversations of people who talk at the same time. */
    people: { type: "string", default: "20" },
    window: { type: "string", default: "20000" },
  },
});
const conversations = Number(values.conversations);
const stepsEach = Number(values.each);
const messages = Math.ceil(Number(values.steps) / stepsEach);

const database = startPostgres();
const simulator = await startSimulator({ replies: scriptedModel(stepsEach), contextWindowTokens: Number(values.window) });
const environment = {
  PGHOST: database.connection.host,
  PGUSER: database.connection.user,
  PGDATABASE: database.connection.database,
  ANTHROPIC_BASE_URL: simulator.url,
  ANTHROPIC_API_KEY: "any",
  WINDOW_TOKENS: values.window,
};
// One after the other: both make the tables.
const replicas = [await startReplica(environment), await startReplica(environment)];
const urls = replicas.map(({ url }) => url);
const idleBytes = await Promise.all(replicas.map(memoryOf));
let mostBytes: readonly number[] = idleBytes;
const watch = setInterval(async () => {
  const now = await Promise.all(replicas.map(memoryOf));
  mostBytes = mostBytes.map((bytes, index) => Math.max(bytes, now[index] ?? 0));
}, 500);

const answers: (Heard & { readonly ms: number })[] = [];
const startMs = Date.now();
let next = 0;
await Promise.all(
  Array.from({ length: Number(values.people) }, async () => {
    for (let place = next++; place < conversations; place = next++) {
      // Each message goes to the other replica than the one before it: neither keeps anything.
      for (let number = 1; number <= messages; number++) {
        const order = number % 2 === 0 ? urls : urls.toReversed();
        const sentMs = Date.now();
        const heard = await ask(order, { conversationId: `load-${place}`, number, text: `Message ${number}: read on.` });
        answers.push({ ...heard, ms: Date.now() - sentMs });
      }
    }
  }),
);
const seconds = (Date.now() - startMs) / 1000;
clearInterval(watch);
const endBytes = await Promise.all(replicas.map(memoryOf));
const pool = new pg.Pool(database.connection);
const { rows } = await pool.query(
  "select pg_database_size('postgres') as bytes, (select count(*) from plimsoll_entry) as entries",
);
await pool.end();
await Promise.all(replicas.map((replica) => replica.kill()));
const exchanges = simulator.exchanges().filter(({ outcome }) => outcome === "answered").length;
await simulator.close();
database.stop();

const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b);
const atShare = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
const megabytes = (all: readonly number[]) => all.map((bytes) => Math.round(bytes / 1_000_000)).join(" and ");
const steps = conversations * messages * stepsEach;
console.log(
  [
    "| figure | value |",
    "|---|---:|",
    `| conversations × steps | ${conversations} × ${messages * stepsEach} |`,
    `| people at the same time | ${values.people} |`,
    `| messages answered | ${answers.length} |`,
    `| of them sent again | ${answers.filter(({ retries }) => retries > 0).length} |`,
    `| requests that the provider answered, summaries included | ${exchanges} |`,
    `| compactions | ${answers.reduce((sum, { compactions }) => sum + compactions, 0)} |`,
    `| seconds | ${seconds.toFixed(1)} |`,
    `| steps a second | ${(steps / seconds).toFixed(1)} |`,
    `| milliseconds for a message of ${stepsEach} steps: median, 95%, 99% | ${atShare(0.5)}, ${atShare(0.95)}, ${atShare(0.99)} |`,
    `| memory of the replicas before, MB | ${megabytes(idleBytes)} |`,
    `| the most | ${megabytes(mostBytes)} |`,
    `| after | ${megabytes(endBytes)} |`,
    `| entries in the database | ${rows[0]?.entries} |`,
    `| size of the database, MB | ${Math.round(Number(rows[0]?.bytes) / 1_000_000)} |`,
  ].join("\n"),
);

async function memoryOf({ url }: Replica): Promise<number> {
  const { memoryBytes }: { readonly memoryBytes: number } = JSON.parse(await (await fetch(`${url}/health`)).text());
  return memoryBytes;
}
