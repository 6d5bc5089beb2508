import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createDigest, createSession, encodeLog, PRESETS } from "@plimsoll/core";
import { human, reply, sessionStart } from "@plimsoll/core/testing";
import { createFileSessionStore } from "@plimsoll/stores";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { runIn } from "../../testing/recorded-io.ts";

const folder = freshFolder(beforeEach);
beforeEach(async () => {
  const writer = await createFileSessionStore({ folder: folder(".plimsoll/sessions") }).create({
    ...sessionStart("be brief"),
    id: "voyage",
  });
  for (let turn = 0; turn < 20; turn++) {
    const said = `turn ${turn}: ${"the water rises and the line sinks. ".repeat(40)}`;
    await writer.append([
      { type: "message", message: human(`h${turn}`, said) },
      { type: "message", message: reply(`a${turn}`, said) },
    ]);
  }
  await writer.close();
});

const plimsoll = (...argv: readonly string[]) => runIn(folder(), argv);

const LOG = ".plimsoll/sessions/voyage.jsonl";
const logText = () => readFileSync(folder(LOG), "utf8");

describe("compact", () => {
  test("no output has what could steer a terminal, and the messages are the same data", async () => {
    const said = "note \u202e\u009b2J\u{e0041} end";
    const log = logText().replace("turn 19: ", `${said}: `);
    writeFileSync(folder(LOG), log);
    const { stdout, stderr } = await plimsoll("compact", "voyage", "--keep", "1k");
    expect(stdout + stderr).not.toMatch(/[\u202a-\u202e\u0080-\u009f]|\u{e0041}/u);
    expect(stdout).toContain("note \\u202e\\u009b2J\\udb40\\udc41 end");
    expect(JSON.stringify(JSON.parse(stdout))).toContain(said);
  });

  test("a log of an unknown model is cut to its last budget, and inspect counts its replies as calls", async () => {
    const entries = logText()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const session = createSession({ policy: "plimsoll", summarizer: createDigest(), entries });
    const model = { contextWindowTokens: 8_000, maxOutputTokens: null };
    await session.fit({ gate: "before-step", pending: [], model }, new AbortController().signal);
    writeFileSync(folder("cut.jsonl"), encodeLog(session.entries()));
    expect((await plimsoll("inspect", "cut.jsonl")).stdout).toContain("\n    1 call; no tools\n");
    const { stdout } = await plimsoll("compact", "cut.jsonl", "--dry-run", "--keep", "1k");
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(", window 8.00k;");
  });

  test("a folder that is not there is named, and not made", async () => {
    const { exitCode, stderr } = await plimsoll("compact", "voyage", "--keep", "1k", "--out", "none/messages.json");
    expect([exitCode, readdirSync(folder()).includes("none")]).toEqual([2, false]);
    expect(stderr).toMatch(/there is no folder() .*none; make it first/);
  });

  test.each(PRESETS.map(({ name }) => name))(
    "--focus works under %s, or is an error that says with what it works",
    async (policy) => {
      const focused = "the keel is Zaandam oak, from the yard of Jan";
      const store = createFileSessionStore({ folder: folder(".plimsoll/sessions") });
      const writer = await store.create({ ...sessionStart("be brief"), id: "focus" });
      const filler = (turn: number) => `turn ${turn}: ${"the water rises and the line sinks. ".repeat(40)}`;
      for (let turn = 0; turn < 40; turn++) {
        const said = turn === 7 ? `${filler(turn)}\n${"and ".repeat(80)}\n${focused}\n${filler(turn)}` : filler(turn);
        await writer.append([
          { type: "message", message: human(`h${turn}`, filler(turn)) },
          { type: "message", message: reply(`a${turn}`, said) },
        ]);
      }
      await writer.close();
      const args = ["compact", "focus", "--keep", "1k", "--policy", policy];
      const [plain, asked] = [await plimsoll(...args), await plimsoll(...args, "--focus", "oak of Zaandam")];
      const isRefused =
        asked.exitCode === 1 && /--focus: .+ wrote no summary here.+it works where/.test(asked.stderr.replaceAll(/\s+/g, " "));
      expect(isRefused || (asked.stdout.includes(focused) && asked.stdout !== "")).toBe(true);
      expect(isRefused || plain.stdout !== asked.stdout || plain.stdout.includes(focused)).toBe(true);
    },
  );

  test("the default policy leaves the person's first message in its place", async () => {
    const { exitCode, stdout } = await plimsoll("compact", "voyage", "--keep", "2k");
    const messages: readonly unknown[] = JSON.parse(stdout);
    expect(exitCode).toBe(0);
    expect(messages.slice(0, 2)).toMatchObject([
      { role: "user", origin: "human" },
      { role: "user", origin: "summary" },
    ]);
  });

  test.each([
    ["by its log", LOG],
    ["by its id", "voyage"],
  ])("a session %s gives the messages, and the report with them", async (_how, session) => {
    const before = logText();
    const { exitCode, stdout, stderr } = await plimsoll("compact", session, "--keep", "2k", "--policy", "sven");
    expect(exitCode).toBe(0);
    const messages: readonly unknown[] = JSON.parse(stdout);
    expect(messages.length).toBeLessThan(20);
    expect(messages[0]).toMatchObject({ role: "assistant", origin: "summary" });
    expect(stderr).toContain("no longer sent: your messages");
    expect(stderr.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(logText()).toBe(before);
  });

  test("a trial prints the plan and no messages", async () => {
    const { exitCode, stdout, stderr } = await plimsoll("compact", "voyage", "--keep", "2k", "--dry-run");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain(": applied");
    expect(stdout).not.toContain('"role"');
  });

  test("the messages go to a file, whole, and what they are can be compacted again", async () => {
    mkdirSync(folder("new"));
    expect((await plimsoll("compact", "voyage", "--keep", "2k", "--out", "new/out.json")).stdout).toBe("");
    expect(readdirSync(folder("new"))).toEqual(["out.json"]);
    expect(Array.isArray(JSON.parse(readFileSync(folder("new/out.json"), "utf8")))).toBe(true);
  });

  test.each([
    ["the log", () => LOG],
    [
      "a link to it",
      () => {
        symlinkSync(folder(LOG), folder("link"));
        return "link";
      },
    ],
    [
      "a second name of it",
      () => {
        linkSync(folder(LOG), folder("name"));
        return "name";
      },
    ],
  ])("%s is not written over", async (_what, outOf) => {
    const before = logText();
    const { exitCode, stderr } = await plimsoll("compact", "voyage", "--out", outOf());
    expect({ exitCode, lines: stderr.split("\n").length }).toEqual({ exitCode: 2, lines: 2 });
    expect(stderr).toContain("this is the session's log itself");
    expect(logText()).toBe(before);
  });

  test.each([
    ["a file that there is not", ["compact", "none.jsonl"], "none.jsonl: no such file"],
    ["an id that there is not", ["compact", "none"], "no session with that id in .plimsoll/sessions"],
    ["a folder", ["compact", "."], "is not a file"],
    ["a size that is none", ["compact", "voyage", "--keep", "much"], "--keep much: give a number of tokens"],
    ["a policy that there is not", ["compact", "voyage", "--policy", "svne"], 'unknown policy "svne"'],
    ["no log at all", ["compact", "notes.txt"], "notes.txt"],
    ["undoing if nothing was compacted", ["compact", "--undo", "voyage"], "there is no compaction to undo"],
    ["undoing the log of another agent", ["compact", "--undo", "other.jsonl"], "not one of plimsoll's own logs"],
    ["undoing what there is not", ["compact", "none", "--undo"], "no session with that id"],
    ["undoing a file of another kind", ["compact", "notes.txt", "--undo"], "which end in .jsonl, can be undone"],
    ["looking at what there is not", ["inspect", "none"], "no session with that id"],
  ])("%s is one line, and the exit code 2", async (_what, argv, line) => {
    writeFileSync(folder("notes.txt"), "buy tar\n");
    writeFileSync(folder("other.jsonl"), '{"type":"user","message":{"role":"user","content":"hello"}}\n');
    const { exitCode, stderr, stdout } = await plimsoll(...argv);
    expect({ exitCode, stdout, lines: stderr.split("\n").length }).toEqual({ exitCode: 2, stdout: "", lines: 2 });
    expect(stderr).toContain(line);
    expect(readdirSync(folder(".plimsoll/sessions"))).toEqual(["voyage.jsonl"]);
  });

  test.each(["--dry-run", "--policy=sven", "--keep=1k", "--focus=oak", "--window=8k", "--out=a", "--with=a.mjs"])(
    "undoing with %s is one line, and nothing is undone",
    async (option) => {
      const { exitCode, stderr } = await plimsoll("compact", "--undo", "voyage", option);
      expect(exitCode).toBe(2);
      expect(stderr).toBe(`plimsoll: ${option.split("=")[0]} does nothing with --undo: leave one of them out\n`);
    },
  );
});
