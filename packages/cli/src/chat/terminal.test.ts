import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const program = join(root, "packages/cli/bin/plimsoll.js");

/** `script` gives a program a pseudo-terminal of its own. */
const hasScript = spawnSync("script", ["--version"]).status === 0;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-terminal-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Terminal {
  type(line: string): void;
  /** Resolves when what was said since the last wait holds the text. */
  waitFor(text: string): Promise<string>;
  readonly end: Promise<unknown>;
}

function openTerminal(command: string): Terminal {
  const child: ChildProcess = spawn("script", ["-qfec", command, "/dev/null"], {
    cwd: folder,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let said = "";
  let check: () => void = () => undefined;
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    check();
  });
  return {
    type: (line) => void child.stdin?.write(`${line}\n`),
    waitFor: (text) =>
      new Promise((resolve) => {
        check = () => {
          const at = said.indexOf(text);
          if (at < 0) return;
          const before = said.slice(0, at + text.length);
          said = said.slice(at + text.length);
          check = () => undefined;
          resolve(before);
        };
        check();
      }),
    end: new Promise((resolve) => child.on("close", resolve)),
  };
}

const sessions = () => join(folder, ".plimsoll/sessions");
const sessionId = () => (readdirSync(sessions()).find((name) => name.endsWith(".jsonl")) ?? "").slice(0, -".jsonl".length);
const writerOf = (id: string): number => JSON.parse(readFileSync(join(sessions(), `${id}.jsonl.lock`), "utf8")).pid;

describe.skipIf(!hasScript)("in a terminal", () => {
  beforeAll(() => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/build.mjs")], { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  }, 180_000);

  test("a chat compacts twice, is killed, resumed and undone", async () => {
    const first = openTerminal(`${process.execPath} ${program} chat --demo`);
    await first.waitFor("› ");
    for (const turn of [1, 2, 3, 4, 5]) {
      first.type(`look ${turn}`);
      await first.waitFor("Ask on");
      await first.waitFor("› ");
    }
    first.type("and once more");
    await first.waitFor("▸ run_terminal_command");
    const id = sessionId();
    process.kill(writerOf(id), "SIGKILL");
    await first.end;

    const second = openTerminal(`${process.execPath} ${program} chat --demo --resume ${id}`);
    await second.waitFor("› ");
    second.type("/undo");
    await second.waitFor("The newest compaction is undone.");
    second.type("go on");
    await second.waitFor("Ask on");
    second.type("/quit");
    await second.end;
    const log = readFileSync(join(sessions(), `${id}.jsonl`), "utf8");
    expect(log.split('{"type":"compaction"').length - 1).toBeGreaterThanOrEqual(2);
    expect(log).toContain('{"type":"revert"');
  }, 180_000);

  test("Ctrl-C ends the run, then the chat; the session can be resumed", async () => {
    const chat = openTerminal(`${process.execPath} ${program} chat --demo`);
    await chat.waitFor("› ");
    chat.type("look");
    await chat.waitFor("▸ run_terminal_command");
    chat.type("\u0003");
    await chat.waitFor("(cancelled)");
    await chat.waitFor("› ");
    chat.type("\u0003");
    await chat.waitFor("go on with: plimsoll chat --resume");
    await chat.end;
    const { status, stdout } = spawnSync(process.execPath, [program, "run", "--demo", "--resume", sessionId(), "look"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect({ status, said: stdout.includes("I have looked") }).toEqual({ status: 0, said: true });
  }, 120_000);
});
