import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { encodeLog } from "@plimsoll/core";
import { human, logOf, reply } from "@plimsoll/core/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

let home = "";
let here = "";
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "plimsoll-newest-")));
  here = join(home, "work");
  mkdirSync(here);
});

/** Logs of agents, by the session's name; the folder that each ran in is the first argument. */
const LOGS: { readonly [agent: string]: (cwd: string, name: string) => readonly [path: string, text: string] } = {
  "claude-code": (cwd, name) => {
    const sessionId = `${name.padEnd(8, "0")}-0000-0000-0000-000000000000`;
    const shared = { parentUuid: null, cwd, sessionId, version: "2.1.7", timestamp: "2026-03-10T12:00:00.000Z" };
    const said = { ...shared, type: "user", message: { role: "user", content: `/words of ${name}` }, uuid: "u1" };
    const summary = { type: "summary", summary: "Before", leafUuid: "u0" };
    return [`.claude/projects/p/${sessionId}.jsonl`, [summary, said].map((line) => JSON.stringify(line)).join("\n")];
  },
  codex: (cwd, name) => {
    const line = (type: string, payload: object) => JSON.stringify({ timestamp: "2026-03-10T12:00:00.000Z", type, payload });
    const content = [{ type: "input_text", text: `words of ${name}` }];
    const said = line("response_item", { type: "message", role: "user", content });
    return [
      `.codex/sessions/2026/rollout-${name}.jsonl`,
      `${line("session_meta", { id: name, cwd, cli_version: "0.169.0" })}\n${said}`,
    ];
  },
  gemini: (cwd, name) => {
    const projectHash = createHash("sha256").update(cwd).digest("hex");
    const messages = [{ id: "m1", timestamp: "2026-03-10T12:00:00.000Z", type: "user", content: `words of ${name}` }];
    const session = {
      sessionId: name,
      projectHash,
      startTime: "2026-03-10T12:00:00.000Z",
      lastUpdated: "2026-03-10T12:00:00.000Z",
      messages,
    };
    return [`.gemini/tmp/${projectHash}/chats/session-${name}.json`, JSON.stringify(session)];
  },
};

function put(agent: string, cwd: string, { name, minute }: { name: string; minute: number }): void {
  const [path, text] = LOGS[agent]?.(cwd, name) ?? expect.fail(agent);
  write(join(home, path), text, minute);
}

function write(file: string, text: string, minute: number): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text.replaceAll("T12:00:00", `T12:0${minute}:00`));
  const time = new Date(Date.UTC(2026, 2, 10, 12, minute));
  utimesSync(file, time, time);
}

async function plimsoll(...argv: readonly string[]) {
  const { io, stdout, stderr } = recordedIo(here);
  const code = await main(argv, { ...io, homeFolder: home });
  return { code, stdout: stdout(), stderr: stderr() };
}

describe.each(["inspect", "doctor"])("%s without a path", (command) => {
  test.each(Object.keys(LOGS))("opens the newest session of this folder, here of %s, and says which", async (agent) => {
    put(agent, here, { name: "old", minute: 1 });
    put(agent, here, { name: "new", minute: 2 });
    put("codex", join(home, "elsewhere"), { name: "other", minute: 3 });
    const { stdout, stderr } = await plimsoll(command);
    expect(stderr).toBe("");
    expect(stdout).toMatch(
      new RegExp(`^The newest session of this folder \\(${agent}, 2026-03-10 12:02 UTC\\):\n {2}~/\\S*new\\S*\n`),
    );
  });

  test("opens Plimsoll's own if it is newer", async () => {
    put("codex", here, { name: "old", minute: 1 });
    write(join(here, ".plimsoll/sessions/s1.jsonl"), encodeLog(logOf([human("1", "find the fault"), reply("2", "found")])), 2);
    expect((await plimsoll(command)).stdout).toMatch(
      /^The newest session of this folder \(plimsoll, 2026-03-10 12:02 UTC\):\n {2}\S*s1\.jsonl\n/,
    );
  });

  test("of a folder of stored sessions that is named opens its newest", async () => {
    const log = encodeLog(logOf([human("1", "find the fault"), reply("2", "found")]));
    for (const minute of [1, 2]) write(join(here, `kept/s${minute}.jsonl`), log, minute);
    expect((await plimsoll(command, "kept")).stdout).toMatch(/^The newest session of kept .*:\n {2}kept\/s2\.jsonl\n/);
    const { stderr } = await plimsoll(command, "..");
    expect(stderr).toMatch(/^plimsoll: no log of \.\. was found/);
  });

  test.each([[["codex"]], [["--from", "codex"]]])("but %j opens the newest of that agent, wherever it ran", async (given) => {
    put("claude-code", here, { name: "new", minute: 3 });
    put("codex", join(home, "elsewhere"), { name: "other", minute: 2 });
    expect((await plimsoll(command, ...given)).stdout).toMatch(
      /^The newest session of codex \(codex, .*\):\n {2}~\/\S*other\S*\n/,
    );
  });

  test("takes an id in the name of any agent's log, and lists several", async () => {
    for (const agent of ["claude-code", "codex"]) put(agent, join(home, "elsewhere"), { name: `${agent}-0a1b2c3d`, minute: 1 });
    expect(await plimsoll(command, "claude-code-0a1b2c3d")).toMatchObject({
      stderr: "",
      stdout: expect.stringContaining("claude-code"),
    });
    const { code, stderr } = await plimsoll(command, "0a1b2c3d");
    expect(code).toBe(2);
    expect(stderr).toMatch(/^plimsoll: 0a1b2c3d is in the names of 2 logs; .*code-0a1b2c3d.*codex-0a1b2c3d/s);
    expect((await plimsoll(command, "ffffffff")).stderr).toContain(
      "no session with that id in .plimsoll/sessions or the agents' logs",
    );
  });

  test("takes the log whose id begins so before others that have the text in their names", async () => {
    for (const name of ["00000003-0000-4000-8000-000000000007", "00000013-0000-4000-8000-000000000003"])
      put("claude-code", join(home, "elsewhere"), { name, minute: 1 });
    expect(await plimsoll(command, "00000003")).toMatchObject({ code: 0, stderr: "" });
    expect((await plimsoll(command, "000000")).stderr).toContain("000000 is in the names of 2 logs");
  });

  test("prefers a file of an agent's name", async () => {
    put("codex", here, { name: "new", minute: 3 });
    write(join(here, "codex"), LOGS["claude-code"]?.(here, "file")[1] ?? "", 1);
    const { stdout } = await plimsoll(command, "codex");
    expect(stdout).not.toContain("newest session");
    expect(stdout).toContain("claude-code");
  });

  test.each([
    [[], "no session of this folder was found"],
    [["codex"], "no log of codex was found"],
    [["log.jsonl", "--from", "codex"], "give a log or a session's id, or --from AGENT"],
  ])("says in one line what to do after %j if there is none", async (given, line) => {
    put("claude-code", join(home, "elsewhere"), { name: "other", minute: 3 });
    const { code, stdout, stderr } = await plimsoll(command, ...given);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^plimsoll: ${line}.*\n$`));
  });
});

test("inspect names the newest session with a compaction if the newest has none", async () => {
  put("codex", here, { name: "new", minute: 3 });
  const [, text] = LOGS.codex?.(here, "cut") ?? expect.fail();
  const compacted = { timestamp: "2026-03-10T12:00:00.000Z", type: "compacted", payload: { message: "sum" } };
  write(join(home, ".codex/sessions/2026/rollout-cut7.jsonl"), `${text}\n${JSON.stringify(compacted)}`, 1);
  expect((await plimsoll("inspect", "codex")).stdout).toMatch(
    /\nNot compacted\. The newest of codex that was: plimsoll inspect \S*cut7\n$/,
  );
});
