import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { NONE_POLICY, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { RECORDED_POLICY } from "@plimsoll/core/internal";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { hashOfFile } from "../formats/file-source.ts";
import { IMPORTERS } from "../formats/registry.ts";
import { renderJsonReport } from "../report/json.ts";
import { stampOfFile } from "./file-stamp.ts";
import { openKeptSessions, type SessionCache } from "./kept-sessions.ts";
import { loadFile } from "./loaded-file.ts";
import { type BenchInput, runBench } from "./run-bench.ts";

const FIXTURES = fileURLToPath(new URL("../../../fixtures/sessions/", import.meta.url));
/** Replays take seconds, longer if other tests run at the same time. */
const REPLAY_MS = 120_000;
/** So long after a change the times of a file tell of the next one. */
const LATER_MS = 60_000;
/** Whole seconds are the same times when they are set again. */
const OLD_SECONDS = 1_000_000_000;

/** How long after its last change a file is opened, and what happens meanwhile. */
interface Moments {
  readonly laterMs: number;
  readonly afterHash: () => void;
  readonly afterImport: () => void;
}

const nothing = () => undefined;

let folder = "";
let cache: SessionCache;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-kept-"));
  cache = { folder: join(folder, "cache"), version: "1", mostBytes: 2 ** 30 };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const input = (name: string) => ({ path: join(folder, name), displayName: name });
const entries = () => readdirSync(cache.folder).toSorted();
const onlyEntry = () => join(cache.folder, entries()[0] ?? "");

function write(name: string, turns: number): void {
  const made = madeTranscript({ turns, toolCallsPerTurn: 3, resultChars: 3000, overheadTokens: 1000, boundaries: [2] }, name);
  writeFileSync(join(folder, name), made.entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
}

/** The report of a run, and which files it prepared. */
async function run(names: readonly string[], given: Partial<BenchInput> = {}) {
  const prepared: string[] = [];
  const report = await runBench({
    files: names.map(input),
    policies: [RECORDED_POLICY, NONE_POLICY, SVEN_POLICY],
    windows: [{ kind: "working-room", tokens: 16_000 }],
    plimsollVersion: "0.0.0",
    cache,
    onPrepared: ({ displayName }) => prepared.push(displayName),
    ...given,
  });
  return { report: renderJsonReport(report), prepared };
}

describe("a run over sessions that are kept", { timeout: REPLAY_MS }, () => {
  test.each(readdirSync(FIXTURES).toSorted())(
    "%s: prepares nothing, and has the bytes of a run without a cache",
    async (name) => {
      copyFileSync(join(FIXTURES, name), join(folder, name));
      const policies = [RECORDED_POLICY, PLIMSOLL_POLICY];
      const without = await run([name], { policies, cache: null });
      expect(await run([name], { policies })).toEqual(without);
      expect(without.prepared).toEqual([name]);
      expect(await run([name], { policies })).toEqual({ report: without.report, prepared: [] });
    },
  );

  test("prepares a file that has changed, and no other", async () => {
    for (const name of ["a.jsonl", "b.jsonl"]) write(name, 4);
    await run(["a.jsonl", "b.jsonl"]);
    write("b.jsonl", 5);
    const { report, prepared } = await run(["a.jsonl", "b.jsonl"]);
    expect(prepared).toEqual(["b.jsonl"]);
    expect(report).toBe((await run(["a.jsonl", "b.jsonl"], { cache: null })).report);
  });

  test("prepares all anew under another version of the code", async () => {
    write("a.jsonl", 4);
    await run(["a.jsonl"]);
    expect((await run(["a.jsonl"], { cache: { ...cache, version: "2" } })).prepared).toEqual(["a.jsonl"]);
  });

  test("prepares a session anew if what belongs to it has changed", async () => {
    const surroundings = {
      type: "text",
      text: "<environment_details>\n# Current Mode\n<slug>code</slug>\n</environment_details>",
    };
    const history = [
      { role: "user", content: [{ type: "text", text: "<task>Mend it.</task>" }, surroundings], ts: 1 },
      { role: "assistant", content: [{ type: "text", text: "It is mended." }], ts: 2 },
    ];
    writeFileSync(join(folder, "api_conversation_history.json"), JSON.stringify(history));
    const names = ["api_conversation_history.json"];
    const first = await run(names);
    expect(first.prepared).toEqual(names);
    expect((await run(names)).prepared).toEqual([]);
    const request = { ts: 2, type: "say", say: "api_req_started", text: JSON.stringify({ tokensIn: 4321, tokensOut: 5 }) };
    writeFileSync(join(folder, "ui_messages.json"), JSON.stringify([request]));
    const second = await run(names);
    expect(second.prepared).toEqual(names);
    expect(second.report).not.toBe(first.report);
    expect(second.report).toBe((await run(names, { cache: null })).report);
  });

  test.each<[string, (entry: string) => void]>([
    ["is cut off", (entry) => truncateSync(entry, statSync(entry).size - 100)],
    ["is empty", (entry) => writeFileSync(entry, "")],
    ["holds something else", (entry) => writeFileSync(entry, "no entry at all")],
    [
      "has another byte",
      (entry) => {
        const bytes = readFileSync(entry);
        bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
        writeFileSync(entry, bytes);
      },
    ],
  ])("makes an entry anew that %s", async (_, damage) => {
    write("a.jsonl", 4);
    const whole = await run(["a.jsonl"]);
    damage(onlyEntry());
    expect(await run(["a.jsonl"])).toEqual(whole);
    expect((await run(["a.jsonl"])).prepared).toEqual([]);
  });

  test("leaves the results of a run as they are that cannot write its entries", async () => {
    write("a.jsonl", 4);
    writeFileSync(cache.folder, "in the way");
    expect(await run(["a.jsonl"])).toEqual(await run(["a.jsonl"], { cache: null }));
  });
});

describe("a file that is kept", { timeout: REPLAY_MS }, () => {
  /** Opens a file some time after it was written; says whether it was prepared, and how often all of it was read to tell it. */
  const open = async (
    name: string,
    { laterMs = LATER_MS, afterHash = nothing, afterImport = nothing }: Partial<Moments> = {},
  ) => {
    let hashCount = 0;
    const kept = openKeptSessions(cache, {
      stampOf: (path) => stampOfFile(path, Date.now() + laterMs),
      hashOf: async (path, displayName) => {
        hashCount += 1;
        const hash = await hashOfFile(path, displayName);
        afterHash();
        return hash;
      },
    });
    const loaded = loadFile(input(name), IMPORTERS, kept);
    await loaded.transcripts();
    afterImport();
    await loaded.sessions();
    return { isPrepared: loaded.isPrepared(), hashCount };
  };
  const path = (name: string) => join(folder, name);
  const put = (name: string, text: string) => {
    writeFileSync(path(name), text);
    utimesSync(path(name), OLD_SECONDS, OLD_SECONDS);
  };
  const writeOld = (name: string, turns: number) => {
    write(name, turns);
    utimesSync(path(name), OLD_SECONDS, OLD_SECONDS);
    return readFileSync(path(name), "utf8");
  };
  /** Other bytes of the same length at the same time. */
  const writeOther = (name: string) => put(name, readFileSync(path(name), "utf8").replaceAll("call-", "hail-"));

  test("is not read if it is the one that was noted", async () => {
    writeOld("a.jsonl", 2);
    expect((await open("a.jsonl")).isPrepared).toBe(true);
    expect(await open("a.jsonl")).toEqual({ isPrepared: false, hashCount: 0 });
  });

  test.each<[string, () => void]>([
    ["has other bytes of the same length and the same times", () => writeOther("a.jsonl")],
    [
      "has another one in its place, of the same size and times",
      () => {
        copyFileSync(path("a.jsonl"), path("b.jsonl"));
        writeOther("b.jsonl");
        renameSync(path("b.jsonl"), path("a.jsonl"));
      },
    ],
    [
      "is a link that leads elsewhere now",
      () => {
        renameSync(path("a.jsonl"), path("b.jsonl"));
        copyFileSync(path("b.jsonl"), path("c.jsonl"));
        writeOther("c.jsonl");
        symlinkSync(path("c.jsonl"), path("a.jsonl"));
      },
    ],
    ["has grown", () => write("a.jsonl", 3)],
  ])("is prepared anew if it %s", async (_, change) => {
    writeOld("a.jsonl", 2);
    await open("a.jsonl");
    change();
    expect((await open("a.jsonl")).isPrepared).toBe(true);
    expect(await open("a.jsonl")).toMatchObject({ isPrepared: false, hashCount: 0 });
  });

  test("is told by its bytes if it was touched, and then noted anew", async () => {
    writeOld("a.jsonl", 2);
    await open("a.jsonl");
    utimesSync(path("a.jsonl"), 1, 1);
    expect(await open("a.jsonl")).toMatchObject({ isPrepared: false, hashCount: 1 });
    expect(await open("a.jsonl")).toMatchObject({ isPrepared: false, hashCount: 0 });
  });

  test("is told by its bytes as long as a change could leave its times as they are", async () => {
    writeOld("a.jsonl", 2);
    const now = { laterMs: 0 };
    await open("a.jsonl", now);
    expect(await open("a.jsonl", now)).toMatchObject({ isPrepared: false, hashCount: 1 });
    writeOther("a.jsonl");
    expect((await open("a.jsonl", now)).isPrepared).toBe(true);
  });

  test("is not kept if it changes between its import and its hash", async () => {
    writeOld("a.jsonl", 2);
    await open("a.jsonl", { afterImport: () => writeOther("a.jsonl") });
    expect((await open("a.jsonl")).isPrepared).toBe(true);
  });

  test("is not kept if it changes between its hash and its import, without a stamp", async () => {
    const text = writeOld("a.jsonl", 2);
    await open("a.jsonl", { laterMs: 0, afterHash: () => writeOther("a.jsonl") });
    put("a.jsonl", text);
    expect((await open("a.jsonl")).isPrepared).toBe(true);
  });

  test("has one entry, whatever it was before", async () => {
    writeOld("a.jsonl", 2);
    await open("a.jsonl");
    write("a.jsonl", 3);
    await open("a.jsonl");
    expect(entries()).toHaveLength(1);
  });
});

describe("the folder of what is kept", { timeout: REPLAY_MS }, () => {
  test("is the owner's alone, and has whole entries of several runs at once", async () => {
    const names = ["a.jsonl", "b.jsonl", "c.jsonl"];
    for (const name of names) write(name, 4);
    await Promise.all([run(names), run(names), run(names.toReversed())]);
    expect(entries()).toHaveLength(names.length);
    expect(entries().every((name) => name.endsWith(".session"))).toBe(true);
    expect((await run(names)).prepared).toEqual([]);
    expect(statSync(onlyEntry()).mode & 0o777).toBe(0o600);
    expect(statSync(cache.folder).mode & 0o777).toBe(0o700);
  });

  test("loses what was not used for the longest time if it has too many bytes", async () => {
    const names = ["a.jsonl", "b.jsonl", "c.jsonl"];
    for (const name of names) write(name, 4);
    await run(["a.jsonl"]);
    const [first = ""] = entries();
    utimesSync(join(cache.folder, first), 2, 2);
    await run(["b.jsonl"]);
    for (const name of entries()) if (name !== first) utimesSync(join(cache.folder, name), 1, 1);
    const entryBytes = statSync(onlyEntry()).size;
    expect((await run(["a.jsonl"])).prepared).toEqual([]);
    await run(["c.jsonl"], { cache: { ...cache, mostBytes: 2.5 * entryBytes } });
    expect((await run(["a.jsonl", "c.jsonl"])).prepared).toEqual([]);
    expect((await run(["b.jsonl"])).prepared).toEqual(["b.jsonl"]);
  });

  test("takes no entry that is larger than the folder may be", async () => {
    write("a.jsonl", 4);
    await run(["a.jsonl"], { cache: { ...cache, mostBytes: 100 } });
    expect(() => readdirSync(cache.folder)).toThrow(/ENOENT/);
  });
});
