import { isRecord } from "../json.ts";
import type { SessionSummary } from "../ports.ts";
import type { LogTable } from "./log-table.ts";
import { type RedisScript, redisScripts } from "./redis-scripts.ts";
import { createTableStore, type DatabaseStore, type DatabaseStoreOptions } from "./table-store.ts";

/** Sends one command to Redis and answers with its reply. `ioredis`: `(args) => redis.call(...)`, `redis`: `(args) => client.sendCommand(args)`. */
export type SendRedisCommand = (args: string[]) => Promise<unknown>;

/** How a store in Redis behaves. */
interface RedisStoreOptions extends DatabaseStoreOptions {
  /** The beginning of every key; `plimsoll` if left out. In braces, so that a cluster keeps all of it on one node. */
  readonly prefix?: string;
}

/**
 * A store in Redis (7 or newer), on the caller's client. What Redis keeps after a crash is set there: with `appendonly yes` and
 * `appendfsync always` nothing that an append was told is lost.
 */
export function createRedisStore(
  send: SendRedisCommand,
  { prefix = "plimsoll", ...options }: RedisStoreOptions = {},
): DatabaseStore {
  return createTableStore(createRedisTable(send, `{${prefix}}:`), options);
}

/** Every script takes the prefix as its one key and the rest as arguments, and takes effect as a whole. */
function createRedisTable(send: SendRedisCommand, prefix: string): LogTable {
  const run = (script: RedisScript, ...args: readonly (string | number | null)[]) =>
    send(["EVAL", redisScripts[script], "1", prefix, ...args.map((value) => (value === null ? "" : String(value)))]);
  return {
    setUp: async () => {
      await send(["PING"]);
    },
    create: async ({ sessionId, createdMs, parentId, count, copyOf, holder, leaseMs }, { lines, bytes, title, handles }) => {
      const facts = [sessionId, holder, leaseMs, createdMs, parentId, bytes, title, copyOf, count];
      const outcome = await run("create", ...facts, handles.length, ...handles, ...lines);
      return outcome === "exists" || outcome === "held" || outcome === "absent" ? outcome : "created";
    },
    take: async (sessionId, { holder, leaseMs }) => {
      const outcome = await run("take", sessionId, holder, leaseMs);
      return outcome === "taken" || outcome === "absent" ? outcome : "held";
    },
    append: async (
      { sessionId, expectedCount, holder, leaseMs, appendNumber, answeredNumber },
      { lines, bytes, title, handles },
    ) => {
      const facts = [sessionId, holder, leaseMs, expectedCount, bytes, title, appendNumber, answeredNumber];
      const outcome = await run("append", ...facts, handles.length, ...handles, ...lines);
      if (outcome === "appended") return "appended";
      return { foundCount: typeof outcome === "number" && outcome > 0 ? outcome : null };
    },
    count: async (sessionId) => {
      const count = await send(["LLEN", `${prefix}log:${sessionId}`]);
      return typeof count === "number" && count > 0 ? count : null;
    },
    lines: async (sessionId, from, count) =>
      textsOf(await send(["LRANGE", `${prefix}log:${sessionId}`, String(from), String(from + count - 1)])),
    summaries: async () => {
      const ids = textsOf(await send(["ZREVRANGE", `${prefix}ids`, "0", "-1"]));
      const heads = await Promise.all(ids.map((id) => send(["HGETALL", `${prefix}head:${id}`])));
      return heads.flatMap((head, index) => summaryOf(ids[index] ?? "", fieldsOf(head)));
    },
    release: async (sessionId, holder) => {
      await run("release", sessionId, holder);
    },
    remove: async (sessionId, { artifactGraceMs, holder }) => {
      const outcome = await run("remove", sessionId, artifactGraceMs, holder);
      return outcome === "held" ? "held" : "removed";
    },
    childrenOf: async (sessionId) => textsOf(await send(["SMEMBERS", `${prefix}children:${sessionId}`])),
    unwrittenFor: async (ms) => textsOf(await run("unwritten", ms)),
    putArtifact: async (handle, json) => {
      await run("put", handle, json);
    },
    artifact: async (handle) => {
      const json = await send(["GET", `${prefix}artifact:${handle}`]);
      return typeof json === "string" ? json : null;
    },
    removeOrphans: async (olderThanMs) => {
      await run("orphans", olderThanMs);
    },
  };
}

function textsOf(reply: unknown): readonly string[] {
  return Array.isArray(reply) ? reply.filter((each) => typeof each === "string") : [];
}

/** A hash as clients give it: names and values in turn, or a record. */
function fieldsOf(reply: unknown): ReadonlyMap<string, string> {
  if (isRecord(reply)) return new Map(Object.entries(reply).map(([name, value]) => [name, String(value)]));
  const flat = textsOf(reply);
  return new Map(flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""]] : [])));
}

function summaryOf(sessionId: string, fields: ReadonlyMap<string, string>): readonly SessionSummary[] {
  // A log that was removed between the list and this look.
  if (fields.size === 0) return [];
  const number = (name: string) => (fields.get(name) ? Number(fields.get(name)) : null);
  return [
    {
      sessionId,
      createdMs: number("created"),
      updatedMs: number("updated"),
      parentId: fields.get("parent") || null,
      bytes: number("bytes") ?? 0,
      title: fields.get("title") || null,
    },
  ];
}
