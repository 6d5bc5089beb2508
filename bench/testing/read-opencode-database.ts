import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { isRecord } from "@plimsoll/core/extend";
import { locateLogs } from "../src/formats/locations.ts";
import { importFile } from "../src/formats/registry.ts";
import { describeLog } from "./describe-log.ts";

/** Makes a database as OpenCode does, finds its sessions and reads them, and prints them as JSON: for a Node that has SQLite. */
const home = mkdtempSync(join(tmpdir(), "plimsoll-opencode-database-"));
const folder = join(home, ".local/share/opencode");
mkdirSync(folder, { recursive: true });

interface Sqlite {
  readonly DatabaseSync: new (
    file: string,
  ) => {
    exec(statements: string): void;
    prepare(statement: string): { run(...values: readonly (string | number | null)[]): unknown };
    close(): void;
  };
}

function hasDatabase(module: unknown): module is Sqlite {
  return isRecord(module) && typeof module.DatabaseSync === "function";
}

const sqlite: unknown = process.getBuiltinModule("node:sqlite");
if (!hasDatabase(sqlite)) throw new Error("this Node has no SQLite");
const made = new sqlite.DatabaseSync(join(folder, "opencode.db"));
made.exec(`
  pragma journal_mode = wal;
  create table session (id text primary key, parent_id text, title text not null, version text not null, time_created integer not null, time_updated integer not null);
  create table message (id text primary key, session_id text not null, time_created integer not null, data text not null);
  create table part (id text primary key, message_id text not null, session_id text not null, data text not null);
`);
const tokens = { input: 5, output: 3, reasoning: 2, cache: { read: 10, write: 20 } };
for (const [id, parent, updated] of [
  ["ses_1", null, 1_000],
  ["ses_2", "ses_1", 3_000],
] as const) {
  made.prepare("insert into session values (?, ?, 'a title', '1.18.33', 5, ?)").run(id, parent, updated);
  const message = (place: number, data: object, parts: readonly object[]) => {
    const messageId = `msg_${id}_${place}`;
    made.prepare("insert into message values (?, ?, 1, ?)").run(messageId, id, JSON.stringify(data));
    // Written in another order than that of their ids.
    for (const [index, part] of [...parts.entries()].reverse())
      made
        .prepare("insert into part values (?, ?, ?, ?)")
        .run(`prt_${messageId}_${index}`, messageId, id, JSON.stringify(part));
  };
  const state = { status: "completed", input: { filePath: "a.ts" }, output: "body" };
  message(2, { role: "assistant", modelID: "m", time: { created: 2 }, tokens }, [
    { type: "step-start" },
    { type: "text", text: `reply in ${id}` },
    { type: "tool", tool: "read", callID: "c1", state },
    { type: "step-finish", tokens },
  ]);
  message(1, { role: "user", time: { created: 1 } }, [{ type: "text", text: `asked in ${id}` }]);
}

// The agent has it open meanwhile.
const located = await locateLogs({ agent: "opencode", homeFolder: home });
const newer = await locateLogs({ agent: "opencode", homeFolder: home, sinceMs: 2_000 });
const logs = await Promise.all(located.map(async ({ path }) => describeLog((await importFile(path))[0])));
made.close();
const names = (found: typeof located) => found.map(({ path }) => path.slice(folder.length + 1));
process.stdout.write(JSON.stringify({ located: names(located), newer: names(newer), logs }));
rmSync(home, { recursive: true });
