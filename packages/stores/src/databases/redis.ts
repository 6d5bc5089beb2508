import type { SessionSummary } from "@plimsoll/core";
import { isRecord, option } from "@plimsoll/core/extend";
import type { LogTable } from "./log-table.ts";
import { createTableStore, type DatabaseStore, type DatabaseStoreOptions } from "./table-store.ts";

/** Sends one command to Redis and answers with its reply. `ioredis`: `(args) => redis.call(...)`, `redis`: `(args) => client.sendCommand(args)`. */
type SendRedisCommand = (args: string[]) => Promise<unknown>;

/** How a store in Redis behaves. */
interface RedisStoreOptions extends DatabaseStoreOptions {
  /** The beginning of every key; `plimsoll` by default. In braces, so that a cluster keeps all of it on one node. */
  readonly prefix?: string;
}

const OPTIONS = option.schema<RedisStoreOptions>({ prefix: option.text.optional(), leaseMs: option.count.optional() });

/**
 * Makes a store of session logs and artifacts in Redis (7 or newer), on the caller's client. Settings of Redis decide what it keeps after a crash:
 * with `appendonly yes` and `appendfsync always`, every appended entry.
 */
export function createRedisStore(send: SendRedisCommand, given: RedisStoreOptions = {}): DatabaseStore {
  option.check("a Redis store", option.fn, send);
  option.check("a Redis store", OPTIONS, given);
  const { prefix = "plimsoll", ...options } = given;
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
    holderOf: async (sessionId) => {
      const holder = await send(["HGET", `${prefix}head:${sessionId}`, "holder"]);
      return typeof holder === "string" && holder !== "" ? holder : null;
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

/** The server's clock in milliseconds, and the keys of a log. */
const PRELUDE = `
local prefix, id = KEYS[1], ARGV[1]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local head, log, ids = prefix .. 'head:' .. id, prefix .. 'log:' .. id, prefix .. 'ids'
-- The last append of each writer that did not close.
local appends = prefix .. 'appends:' .. id
local function is_free()
  local holder = redis.call('HGET', head, 'holder')
  return holder == '' or tonumber(redis.call('HGET', head, 'lease')) <= now
end
local function drop_orphan(handle, grace)
  local put = redis.call('ZSCORE', prefix .. 'artifacts', handle)
  if put and tonumber(put) <= now - grace and redis.call('EXISTS', prefix .. 'users:' .. handle) == 0 then
    redis.call('DEL', prefix .. 'artifact:' .. handle)
    redis.call('ZREM', prefix .. 'artifacts', handle)
  end
end
local function add(first, push)
  local handles = tonumber(ARGV[first])
  for at = first + 1, first + handles do
    redis.call('SADD', prefix .. 'users:' .. ARGV[at], id)
    redis.call('SADD', prefix .. 'handles:' .. id, ARGV[at])
  end
  for at = first + handles + 1, #ARGV do redis.call(push, log, ARGV[at]) end
  redis.call('HSET', head, 'updated', now)
  redis.call('ZADD', ids, now, id)
end
`;

/** The work of a script. */
type RedisScript = "create" | "take" | "append" | "release" | "remove" | "unwritten" | "put" | "orphans";

/** Scripts for Redis 7. Each takes effect as a whole; an empty text means `null`. Times are those of the server. */
const redisScripts: Readonly<Record<RedisScript, string>> = {
  /** id, holder, lease, created, parent, bytes, title, log that is copied, number of entries, number of handles, handles, first line */
  create: `${PRELUDE}
if redis.call('EXISTS', head) == 1 then
  if redis.call('HGET', head, 'holder') == ARGV[2] then return 'created' end
  return is_free() and 'exists' or 'held'
end
if ARGV[8] ~= '' then
  local source, count = prefix .. 'log:' .. ARGV[8], tonumber(ARGV[9])
  if redis.call('LLEN', source) < count then return 'absent' end
  redis.call('COPY', source, log)
  redis.call('LTRIM', log, 1, count - 1)
end
redis.call('HSET', head, 'holder', ARGV[2], 'lease', now + tonumber(ARGV[3]), 'created', ARGV[4], 'parent', ARGV[5], 'bytes', ARGV[6], 'title', ARGV[7])
if ARGV[5] ~= '' then redis.call('SADD', prefix .. 'children:' .. ARGV[5], id) end
add(10, 'LPUSH')
return 'created'`,
  /** id, holder, lease */
  take: `${PRELUDE}
if redis.call('EXISTS', head) == 0 then return 'absent' end
if redis.call('HGET', head, 'holder') ~= ARGV[2] and not is_free() then return 'held' end
redis.call('HSET', head, 'holder', ARGV[2], 'lease', now + tonumber(ARGV[3]))
return 'taken'`,
  /** id, holder, lease, expected count, bytes, title, number of the append, number of the last one that was answered, number of handles, handles, lines */
  append: `${PRELUDE}
local expected = tonumber(ARGV[4])
local number, last = tonumber(ARGV[7]), tonumber(redis.call('HGET', appends, ARGV[2]) or 0)
if last == number then return 'appended' end
if redis.call('HGET', head, 'holder') ~= ARGV[2] or last > number then return redis.call('LLEN', log) end
if last > tonumber(ARGV[8]) then
  for _, line in ipairs(redis.call('LRANGE', log, expected, -1)) do redis.call('HINCRBY', head, 'bytes', -#line) end
  redis.call('LTRIM', log, 0, expected - 1)
end
local count = redis.call('LLEN', log)
if count ~= expected then return count end
redis.call('HSET', appends, ARGV[2], number)
redis.call('HSET', head, 'lease', now + tonumber(ARGV[3]))
redis.call('HINCRBY', head, 'bytes', ARGV[5])
if ARGV[6] ~= '' and redis.call('HGET', head, 'title') == '' then redis.call('HSET', head, 'title', ARGV[6]) end
add(9, 'RPUSH')
return 'appended'`,
  /** id, holder */
  release: `${PRELUDE}
if redis.call('HGET', head, 'holder') == ARGV[2] then redis.call('HSET', head, 'holder', '') end
redis.call('HDEL', appends, ARGV[2])
return 'released'`,
  /** id, grace of artifacts, holder */
  remove: `${PRELUDE}
if redis.call('EXISTS', head) == 0 then return 'removed' end
local holder = redis.call('HGET', head, 'holder')
if ARGV[3] == '' and not is_free() or ARGV[3] ~= '' and holder ~= ARGV[3] then return 'held' end
local handles = redis.call('SMEMBERS', prefix .. 'handles:' .. id)
for _, handle in ipairs(handles) do
  redis.call('SREM', prefix .. 'users:' .. handle, id)
  drop_orphan(handle, tonumber(ARGV[2]))
end
local parent = redis.call('HGET', head, 'parent')
if parent ~= '' then redis.call('SREM', prefix .. 'children:' .. parent, id) end
redis.call('DEL', head, log, appends, prefix .. 'handles:' .. id)
redis.call('ZREM', ids, id)
return 'removed'`,
  /** milliseconds */
  unwritten: `${PRELUDE}
return redis.call('ZRANGEBYSCORE', ids, '-inf', now - tonumber(ARGV[1]))`,
  /** handle, content */
  put: `${PRELUDE}
redis.call('SET', prefix .. 'artifact:' .. ARGV[1], ARGV[2])
redis.call('ZADD', prefix .. 'artifacts', now, ARGV[1])
return 'put'`,
  /** milliseconds */
  orphans: `${PRELUDE}
for _, handle in ipairs(redis.call('ZRANGEBYSCORE', prefix .. 'artifacts', '-inf', now - tonumber(ARGV[1]))) do
  drop_orphan(handle, tonumber(ARGV[1]))
end
return 'done'`,
};
