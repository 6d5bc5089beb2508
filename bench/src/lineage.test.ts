import { describe, expect, test } from "vitest";
import { IMPORTER_SUBJECTS } from "../testing/importer-subjects.ts";
import { textSource } from "./formats/file-source.ts";
import { openCodeStorageImporter } from "./formats/opencode/importer.ts";
import { importSource } from "./formats/registry.ts";
import { countedEntries, countedOnce, lineages } from "./lineage.ts";
import type { Transcript } from "./transcript.ts";

const jsonLines = (objects: readonly object[]) => objects.map((object) => `${JSON.stringify(object)}\n`).join("");
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 9, 0, second)).toISOString();

/** Files by name, each with its text. */
async function read(files: Readonly<Record<string, string>>): Promise<readonly Transcript[]> {
  const read = await Promise.all(Object.entries(files).map(([name, text]) => importSource(textSource(text, name))));
  return read.flat();
}

/** Counts the calls in each session that is not a copy, and the lineages. */
function counted(transcripts: readonly Transcript[]) {
  const found = lineages(transcripts);
  const own = transcripts.flatMap((transcript) => {
    const once = countedOnce(transcript, found.in(transcript.file));
    if (once === null) return [];
    const copied = new Set(once.copiedIds);
    const entries = countedEntries(once.entries).filter(({ id }) => !copied.has(id));
    const cuts = entries.filter(({ entry }) => entry.type === "compaction").length;
    return entries.length === 0 ? [] : [[once.name, { answers: entries.length - cuts, cuts }] as const];
  });
  return { counts: found.counts, own: Object.fromEntries(own) };
}

/** Log lines of pi: a session, a turn, and a compaction. */
const PI = {
  session: (id: string) => ({ type: "session", version: 3, id, timestamp: at(0), cwd: "/w" }),
  turn: (name: string, place: number) => {
    const said = (id: string, second: number, message: object) => ({ type: "message", id, timestamp: at(second), message });
    const usage = { input: 900 + place, output: 5, cacheRead: 0, cacheWrite: 0 };
    const [asked, done] = [text("Refactor the prices."), text(`Done with ${name} ${place}.`)];
    return [
      said(`u-${name}-${place}`, 4 * place, { role: "user", content: asked }),
      said(`a-${name}-${place}`, 4 * place + 2, { role: "assistant", model: "m", stopReason: "stop", usage, content: done }),
    ];
  },
  cut: (name: string) => ({
    ...{ type: "compaction", id: `c-${name}`, timestamp: at(30), firstKeptEntryId: `u-${name}-1`, tokensBefore: 900 },
    summary: `What ${name} did.`,
  }),
};
const text = (words: string, type = "text") => [{ type, text: words }];
const piTurns = (name: string, count: number) => Array.from({ length: count }, (_, place) => PI.turn(name, place)).flat();

const claude = (sessionId: string, name: string, place: number, more: object = {}) => {
  const base = { isSidechain: false, sessionId, version: "2.1.0", cwd: "/w", timestamp: at(place), ...more };
  const id = `${name}-${place}`;
  const usage = { input_tokens: 1, cache_creation_input_tokens: 2, cache_read_input_tokens: 3, output_tokens: 4 };
  const message = { id: `msg-${id}`, role: "assistant", model: "m", content: text(`Done ${name} ${place}.`), usage };
  const asked = { role: "user", content: "Refactor the prices." };
  return [
    { uuid: `u-${id}`, parentUuid: null, ...base, type: "user", message: asked },
    { uuid: `a-${id}`, parentUuid: `u-${id}`, ...base, type: "assistant", requestId: `req-${id}`, message },
  ];
};
const claudeTurns = (sessionId: string, name: string, count: number, more: object = {}) =>
  Array.from({ length: count }, (_, place) => claude(sessionId, name, place, more)).flat();
const boundary = (sessionId: string) => {
  const [base, compactMetadata] = [
    { isSidechain: false, sessionId },
    { trigger: "auto", preTokens: 900 },
  ];
  const cut = { type: "system", subtype: "compact_boundary", compactMetadata };
  const message = { role: "user", content: "What was done." };
  return [
    { uuid: "b", parentUuid: null, ...base, timestamp: at(40), ...cut },
    { uuid: "s", parentUuid: "b", ...base, timestamp: at(41), type: "user", isCompactSummary: true, message },
  ];
};

const codexLine = (timestamp: string, type: string, payload: object) => ({ timestamp, type, payload });
const codexTurn = (name: string, place: number, time: (second: number) => string) => {
  const tokens = { input_tokens: 500 + place, cached_input_tokens: 0, output_tokens: 5, total_tokens: 505 + place };
  const info = { total_token_usage: tokens, last_token_usage: tokens };
  const said = (role: string, content: object[]) => ({ type: "message", role, content });
  return [
    codexLine(time(8 * place), "response_item", said("user", text(`Do ${name}.`, "input_text"))),
    codexLine(time(8 * place + 3), "response_item", said("assistant", text(`Did ${name} ${place}.`, "output_text"))),
    codexLine(time(8 * place + 6), "event_msg", { type: "token_count", info }),
  ];
};
const codexMeta = (id: string, timestamp: string, more: object = {}) => {
  const base = { id, timestamp, cli_version: "0.140.0", base_instructions: { text: "You are." } };
  return codexLine(timestamp, "session_meta", { ...base, ...more });
};
const codexTurns = (name: string, count: number, time: (second: number) => string = at) =>
  Array.from({ length: count }, (_, place) => codexTurn(name, place, time)).flat();
const FORKED = codexMeta("fork", at(100), { forked_from_id: "main" });
const FORKED_AT = () => at(100);

/** OpenCode's storage is many files. */
const SUBJECTS = IMPORTER_SUBJECTS.filter(({ importer }) => importer !== openCodeStorageImporter);

describe.each(SUBJECTS.map(({ importer: { format }, text }) => ({ format, text })))("$format", ({ text }) => {
  test("the same log under two names counts once", async () => {
    const one = counted(await read({ "a/one": text }));
    const both = counted(await read({ "a/one": text, "b/two": text }));
    expect(both.own).toEqual(one.own);
    expect(both.counts.lineages).toBe(one.counts.lineages);
    expect(both.counts.sessions).toBe(2 * one.counts.sessions);
  });
});

const UUID = "019a0000-0000-7000-8000-000000000001";

describe("one history", () => {
  test("counts once, however many forks have nothing of their own", async () => {
    const turns = [...piTurns("p", 3), PI.cut("p"), PI.turn("q", 3)].flat();
    const forks = Array.from({ length: 8 }, (_, place) => [`f${place}`, jsonLines([PI.session(`f${place}`), ...turns])]);
    const found = counted(await read({ main: jsonLines([PI.session("main"), ...turns]), ...Object.fromEntries(forks) }));
    expect(found.own).toEqual({ main: { answers: 4, cuts: 1 } });
    expect(found.counts).toEqual({ files: 9, sessions: 9, lineages: 1, repeatedAnswers: 4 });
  });

  test("counts in the log that goes on from another, which it repeats", async () => {
    const found = counted(
      await read({
        first: jsonLines(claudeTurns("s1", "c", 3)),
        resumed: jsonLines([...claudeTurns("s2", "c", 3), ...boundary("s2"), ...claude("s2", "d", 50)]),
      }),
    );
    expect(found.own).toEqual({ resumed: { answers: 4, cuts: 1 } });
    expect(found.counts).toEqual({ files: 2, sessions: 2, lineages: 1, repeatedAnswers: 3 });
  });

  test("is counted once beside what each fork did itself", async () => {
    const shared = [...piTurns("p", 3), PI.cut("p")];
    const found = counted(
      await read({
        main: jsonLines([PI.session("main"), ...shared, ...PI.turn("main", 4), ...PI.turn("main", 5)]),
        left: jsonLines([PI.session("left"), ...shared, ...PI.turn("left", 4)]),
        right: jsonLines([PI.session("right"), ...shared, PI.cut("right"), ...PI.turn("right", 4)]),
      }),
    );
    expect(found.own).toEqual({ main: { answers: 5, cuts: 1 }, left: { answers: 1, cuts: 0 }, right: { answers: 1, cuts: 1 } });
    expect(found.counts).toMatchObject({ lineages: 1, repeatedAnswers: 3 });
  });

  test("is Codex's parent's in a fork, which repeats it under new times, with the parent or alone", async () => {
    const main = jsonLines([codexMeta("main", at(0)), ...codexTurns("p", 4)]);
    const fork = jsonLines([FORKED, codexMeta("main", at(100)), ...codexTurns("p", 4, FORKED_AT), ...codexTurn("q", 14, at)]);
    expect(counted(await read({ main, fork })).own).toEqual({ main: { answers: 4, cuts: 0 }, fork: { answers: 1, cuts: 0 } });
    expect(counted(await read({ main, fork })).counts).toEqual({ files: 2, sessions: 2, lineages: 1, repeatedAnswers: 4 });
    expect(counted(await read({ fork })).own).toEqual({ fork: { answers: 1, cuts: 0 } });
  });

  test("is known again in a fork of OpenCode, which gives new ids and keeps times, and belongs to its sub-agents", async () => {
    const session = (id: string, ids: string, turns: readonly number[], more: object = {}) => {
      const tokens = (turn: number) => ({ input: 100 + turn, output: 5, reasoning: 0, cache: { read: 0, write: 0 } });
      const said = (turn: number, words: string, info: object, afterMs = 0) => ({
        info: { ...info, time: { created: turn * 10_000 + afterMs } },
        parts: text(words),
      });
      const messages = turns.flatMap((turn) => [
        said(turn, "Go on.", { id: `${ids}u${turn}`, role: "user" }),
        said(turn, `Did ${turn}.`, { id: `${ids}a${turn}`, role: "assistant", modelID: "m", tokens: tokens(turn) }, 5),
      ]);
      return JSON.stringify({ info: { id, version: "1.18.0", time: { created: Date.UTC(2026, 0, 1) }, ...more }, messages });
    };
    const found = counted(
      await read({
        main: session("ses_a", "msg_a", [1, 2, 3]),
        fork: session("ses_b", "msg_b", [1, 2, 9]),
        child: session("ses_c", "msg_c", [5], { parentID: "ses_b" }),
      }),
    );
    expect(found.own).toEqual({ main: { answers: 3, cuts: 0 }, fork: { answers: 1, cuts: 0 }, child: { answers: 1, cuts: 0 } });
    expect(found.counts).toMatchObject({ lineages: 1, repeatedAnswers: 2 });
  });

  test("goes on in another file of the same session", async () => {
    const found = counted(
      await read({
        first: jsonLines([codexMeta(UUID, at(0)), ...codexTurns("p", 2)]),
        second: jsonLines([codexMeta(UUID, at(90)), ...codexTurns("q", 2)]),
      }),
    );
    expect(found.own).toEqual({ first: { answers: 2, cuts: 0 }, second: { answers: 2, cuts: 0 } });
    expect(found.counts).toMatchObject({ lineages: 1, repeatedAnswers: 0 });
  });

  test("is that of its sub-agents, in the same file or in files of their own", async () => {
    const side = { isSidechain: true, agentId: "k" };
    const main = claudeTurns("s", "c", 2);
    const inline = counted(await read({ log: jsonLines([...main, ...claudeTurns("s", "k", 2, side)]) }));
    const apart = counted(
      await read({ log: jsonLines(main), "s/subagents/agent-k": jsonLines(claudeTurns("s", "k", 2, side)) }),
    );
    expect(Object.values(inline.own)).toEqual(Object.values(apart.own));
    expect(inline.counts).toMatchObject({ sessions: 2, lineages: 1, repeatedAnswers: 0 });
    expect(apart.counts).toMatchObject({ sessions: 2, lineages: 1, repeatedAnswers: 0 });
    const spawned = codexMeta("k", at(1), { source: { subagent: { thread_spawn: { parent_thread_id: "main", depth: 1 } } } });
    const codex = await read({
      main: jsonLines([codexMeta("main", at(0)), ...codexTurns("p", 1)]),
      k: jsonLines([spawned, ...codexTurns("k", 1)]),
    });
    expect(counted(codex).counts).toMatchObject({ lineages: 1, repeatedAnswers: 0 });
  });

  test("is known again whatever lines of bookkeeping stand where, and if it was copied too early", async () => {
    const book = (uuid: string) => ({ type: "file-history-snapshot", messageId: uuid, snapshot: {} });
    const whole = claudeTurns("s1", "c", 3);
    const other = [book("x"), ...whole.slice(0, 5), book("y")];
    const found = counted(await read({ whole: jsonLines(whole), other: jsonLines(other) }));
    expect(found.own).toEqual({ whole: { answers: 3, cuts: 0 } });
    const piece = { type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } };
    const grown = structuredClone(whole);
    const last = grown.at(-1);
    if (last !== undefined)
      Object.assign(last.message, {
        content: [{ type: "text", text: "Done c 2." }, piece],
        usage: { input_tokens: 1, output_tokens: 90 },
      });
    expect(counted(await read({ early: jsonLines(whole), grown: jsonLines(grown) })).own).toEqual({
      early: { answers: 3, cuts: 0 },
    });
  });

  test("is known again where the copy ends inside an answer, before its report or behind its thinking", async () => {
    const whole = [codexMeta("main", at(0)), ...codexTurns("p", 3)];
    for (const length of [2, 3, whole.length - 1]) {
      const read2 = await read({ whole: jsonLines(whole), early: jsonLines(whole.slice(0, length)) });
      expect(counted(read2).own).toEqual({ whole: { answers: 3, cuts: 0 } });
    }
    const unreported = [FORKED, ...codexTurns("p", 1, FORKED_AT).slice(0, 2)];
    expect(counted(await read({ whole: jsonLines(whole), fork: jsonLines(unreported) })).own).toEqual({
      whole: { answers: 3, cuts: 0 },
    });
    const [asked, answered] = claude("s", "c", 0);
    const thinking = { ...answered, requestId: "req_011CQz5q8k3v7B2mWnXyLrTd" };
    const early = {
      ...thinking,
      message: { ...answered?.message, content: [{ type: "thinking", thinking: "Hm.", signature: "x" }] },
    };
    const logs = await read({ whole: jsonLines([asked ?? {}, thinking]), early: jsonLines([asked ?? {}, early]) });
    expect(counted(logs).own).toEqual({ whole: { answers: 1, cuts: 0 } });
  });
});

describe("two histories", () => {
  test("that begin with the same words have nothing in common", async () => {
    const found = counted(
      await read({
        pi: jsonLines([PI.session("a"), ...piTurns("a", 2)]),
        "other pi": jsonLines([PI.session("b"), ...piTurns("b", 2)]),
        claude: jsonLines(claudeTurns("s1", "c", 2)),
        "other claude": jsonLines(claudeTurns("s2", "d", 2)),
        codex: jsonLines([codexMeta("x", at(0)), ...codexTurns("p", 2)]),
        "other codex": jsonLines([codexMeta("y", at(0)), ...codexTurns("q", 2)]),
      }),
    );
    expect(found.counts).toEqual({ files: 6, sessions: 6, lineages: 6, repeatedAnswers: 0 });
    expect(Object.values(found.own).every(({ answers }) => answers === 2)).toBe(true);
  });

  test("are two though their agent counts its calls from one", async () => {
    const chat = (said: string) =>
      JSON.stringify([
        { role: "user", content: "Refactor the prices." },
        {
          role: "assistant",
          content: said,
          tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: `{"path":"${said}"}` } }],
        },
        { role: "tool", tool_call_id: "call_1", content: "x" },
      ]);
    expect(counted(await read({ one: chat("a.ts"), other: chat("b.ts") })).counts).toMatchObject({ lineages: 2 });
    const other = chat("a.ts").replace("Refactor the prices.", "Rename the prices.");
    expect(counted(await read({ one: chat("a.ts"), other })).counts).toMatchObject({ lineages: 2 });
  });

  test("are two though both are of one task", async () => {
    const run = (name: string) =>
      JSON.stringify({
        ...{ trajectory_format: "mini-swe-agent-1.1", instance_id: "owner__repository-1", info: { mini_version: "2.0.0" } },
        messages: [
          { role: "system", content: "You are.", timestamp: name.length },
          { role: "user", content: "Mend it.", timestamp: 2 },
          { role: "assistant", content: `I look at ${name}.`, timestamp: name.length },
        ],
      });
    expect(counted(await read({ one: run("a"), other: run("bb") })).counts).toMatchObject({ sessions: 2, lineages: 2 });
  });
});
