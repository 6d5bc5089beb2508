import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textOf } from "@plimsoll/core";
import { createFileSessionStore } from "@plimsoll/stores";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  ASKS,
  CONFIG,
  CONFIG_OF_A_LARGER_MODEL,
  type CountedStep,
  type SimulatedModel,
  startSimulatedModel,
} from "./simulated-model.ts";

/** The addon of the pseudo-terminals is not built for every system: these tests are skipped if it is missing. */
const terminals = await import("./terminal-session.ts").catch(() => null);

const root = join(import.meta.dirname, "../../..");
const program = join(root, "packages/cli/bin/plimsoll.js");
const SIGKILL = 9;

let folder = "";
let model: SimulatedModel;
/** Writes the person's own settings: the folder is the home folder, too. */
const writeOwn = (config: string) => {
  mkdirSync(join(folder, ".config/plimsoll"), { recursive: true });
  writeFileSync(join(folder, ".config/plimsoll/config.yaml"), config);
};
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-terminal-"));
  writeOwn(CONFIG);
  model = await startSimulatedModel();
});
afterEach(() => model.simulator.close());

const environment = () => ({ ANTHROPIC_BASE_URL: model.simulator.url, ANTHROPIC_API_KEY: "test" });
const open = (...args: string[]) =>
  (terminals ?? expect.fail("no terminals")).openTerminal({ args: [program, ...args], cwd: folder, env: environment() });

const sessions = () => join(folder, ".plimsoll/sessions");
const sessionId = () => (readdirSync(sessions()).find((name) => name.endsWith(".jsonl")) ?? "").slice(0, -".jsonl".length);
const stored = async () =>
  (await createFileSessionStore({ folder: sessions() }).read(sessionId())) ?? expect.fail("no session");
const countOf = async (type: string) => (await stored()).entries.filter((entry) => entry.type === type).length;

/** Reads the status lines of the requests that were sent (an estimate has a `~` before it); a status that is shown again is one. */
function shownIn(said: string): readonly CountedStep[] {
  const shown = [...said.matchAll(/\] (?:· )?([\d,]+)(?:[+−][\d,]+)?\/[^\n]*?cache (\d+)%/g)].map(
    ([, sent = "", cache = ""]) => ({ sentTokens: Number(sent.split(",").join("")), cachePercent: Number(cache) }),
  );
  return shown.filter(({ sentTokens }, index) => sentTokens !== shown[index - 1]?.sentTokens);
}

describe.skipIf(terminals === null)("in a terminal", { timeout: 240_000 }, () => {
  beforeAll(() => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/build.mjs")], { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  }, 240_000);

  test("a chat with the demo compacts twice, is killed, resumed and undone; its status lines say what the simulator counted", async () => {
    const first = open("chat", "--demo", "--allow", "commands");
    await first.waitFor("› ");
    for (const turn of [1, 2, 3, 4, 5]) {
      first.type(`look ${turn}`);
      const counted = /The last prompt had (\d+) tokens/.exec(await first.waitFor("Ask on"));
      const shown = shownIn(await first.waitFor("› ")).map(({ sentTokens }) => sentTokens);
      expect(shown).toEqual([Number(counted?.[1])]);
    }
    first.type("and once more");
    await first.waitFor("▸ run_terminal_command");
    process.kill(first.pid, "SIGKILL");
    expect(await first.end).toMatchObject({ signal: SIGKILL });
    expect(await countOf("compaction")).toBeGreaterThanOrEqual(2);

    const second = open("chat", "--demo", "--allow", "commands", "--resume", sessionId());
    await second.waitFor("› ");
    second.type("/undo");
    await second.waitFor("The newest compaction is undone.");
    second.type("go on");
    await second.waitFor("Ask on");
    second.type("/quit");
    expect(await second.end).toEqual({ exitCode: 0, signal: 0 });
    expect(await countOf("revert")).toBe(1);
  });

  test("a chat asks before it starts a server that the project's file names, and goes on with what the person answers", async () => {
    const server = { command: process.execPath, args: ["-e", "fs.writeFileSync('started', '')"] };
    writeFileSync(join(folder, "plimsoll.yaml"), `mcpServers:\n  marks: ${JSON.stringify(server)}\n`);
    const chatAnswering = async (answer: string) => {
      const chat = open("chat", "--demo", "--allow", "commands");
      await chat.waitFor("start the MCP server marks");
      await chat.waitFor("allow? ");
      chat.type(answer);
      await chat.waitFor("› ");
      chat.type("look");
      await chat.waitFor("Ask on");
      chat.type("/quit");
      expect(await chat.end).toEqual({ exitCode: 0, signal: 0 });
      return existsSync(join(folder, "started"));
    };
    expect(await chatAnswering("n")).toBe(false);
    expect(await chatAnswering("y")).toBe(true);
  });

  test("a chat's status lines are the simulator's counts, and it goes on after a kill while a tool runs", async () => {
    const first = open("chat", "--allow", "commands");
    await first.waitFor("› ");
    for (let turn = 0; turn < 7; turn++) {
      first.type(ASKS.look);
      await first.waitFor("All is well");
      await first.waitFor("› ");
    }
    expect(shownIn(first.said())).toEqual(model.steps());
    expect(first.said()).toContain("window 24k");
    expect(await countOf("compaction")).toBeGreaterThanOrEqual(2);
    first.type(ASKS.wait);
    await first.waitFor("▸ run_terminal_command");
    process.kill(first.pid, "SIGKILL");
    await first.end;

    const before = model.steps().length;
    const second = open("chat", "--resume", sessionId());
    await second.waitFor("› ");
    second.type("/undo");
    await second.waitFor("The newest compaction is undone.");
    second.type("/quit");
    await second.end;
    const third = open("chat", "--resume");
    await third.waitFor("› ");
    third.type("is all there?");
    await third.waitFor("All is well");
    await third.waitFor("› ");
    expect(shownIn(third.said()).slice(-1)).toEqual(model.steps().slice(before).slice(-1));
    third.type("/quit");
    expect(await third.end).toEqual({ exitCode: 0, signal: 0 });
    expect(model.simulator.exchanges().map(({ outcome }) => outcome)).not.toContain("rejected");
  });

  test("runs go on with one session, compact twice, are killed, undone and resumed", async () => {
    for (const more of [[], ...Array.from({ length: 6 }, () => ["--resume"])]) {
      const run = open("run", ASKS.look, "--allow", "commands", ...more);
      expect(await run.end).toEqual({ exitCode: 0, signal: 0 });
      const shown = shownIn(run.said());
      expect(shown.slice(-2)).toEqual(model.steps().slice(-2));
    }
    expect(await countOf("compaction")).toBeGreaterThanOrEqual(2);
    const killed = open("run", ASKS.wait, "--allow", "commands", "--resume");
    await killed.waitFor("▸ run_terminal_command");
    process.kill(killed.pid, "SIGKILL");
    await killed.end;
    const undo = open("compact", "--undo", sessionId());
    expect(await undo.end).toEqual({ exitCode: 0, signal: 0 });
    const last = open("run", "is all there?", "--resume");
    expect(await last.end).toEqual({ exitCode: 0, signal: 0 });
    expect(last.said()).toContain("All is well");
    expect(await countOf("revert")).toBe(1);
    expect(model.simulator.exchanges().map(({ outcome }) => outcome)).not.toContain("rejected");
  });

  test("a chat asks before each command: once, always for that command, no with words, and Ctrl-C for the call alone", async () => {
    const chat = open("chat", "--demo");
    await chat.waitFor("› ");
    const results = async () =>
      (await stored()).entries.flatMap((entry) =>
        entry.type === "message" && entry.message.role === "tool-result" ? [textOf(entry.message).split("\n")[0]] : [],
      );
    chat.type("look");
    const asked = await chat.waitFor("allow? ");
    expect(asked).toContain("? run a command in the workspace\r\n  │ seq -f 'part 0.%g checked, nothing unusual' 1 120\r\n");
    for (const line of ["what is that?", "y", "a", "n look elsewhere"]) {
      chat.type(line);
      await chat.waitFor("allow? ");
    }
    chat.interrupt();
    await chat.waitFor("(cancelled)");
    await chat.waitFor("› ");
    expect(await results()).toEqual([
      "part 0.1 checked, nothing unusual",
      "part 1.1 checked, nothing unusual",
      "Not run: the person said no: look elsewhere",
      "Cancelled before it was done.",
    ]);
    chat.type("go on");
    await chat.waitFor("allow? ");
    chat.type("/allow commands");
    await chat.waitFor("Ask on");
    await chat.waitFor("› ");
    chat.type("/mode read-only");
    await chat.waitFor("read-only: no commands");
    chat.type("and again");
    await chat.waitFor("Not run: the session is read-only");
    await chat.waitFor("Ask on");
    await chat.waitFor("› ");
    chat.interrupt();
    await chat.waitFor("continue with: plimsoll chat --demo --resume");
    expect(await chat.end).toEqual({ exitCode: 0, signal: 0 });
  });

  test("no line of a run is longer than the terminal is wide", async () => {
    const run = open("run", "--demo", "look at the logs", "--allow", "commands");
    expect(await run.end).toEqual({ exitCode: 0, signal: 0 });
    expect(
      run
        .said()
        .split(/[\r\n]+/)
        .filter((line) => [...line].length > 80),
    ).toEqual([]);
    expect(run.said().replace(/\s+/g, " ")).toContain("Ask on, or try /context, /compact and /undo.");
  });

  test("a reply that the window has no room for is asked for shorter, before anything is compacted", async () => {
    writeOwn(CONFIG_OF_A_LARGER_MODEL);
    const chat = open("chat");
    await chat.waitFor("› ");
    for (const text of ["hello", "and once more"]) {
      chat.type(text);
      await chat.waitFor("All is well");
      await chat.waitFor("› ");
    }
    chat.type("/quit");
    expect(await chat.end).toEqual({ exitCode: 0, signal: 0 });
    expect(chat.said().split("the reply did not fit next to the prompt")).toHaveLength(2);
    expect(chat.said()).toContain("window 24k");
    expect(model.simulator.exchanges().map(({ outcome }) => outcome)).toEqual(["overflow", "answered", "answered"]);
    expect(await countOf("compaction")).toBe(0);
  });

  test("a run asks on its terminal; Ctrl-C at the question ends the run", async () => {
    const run = open("run", "--demo", "look");
    await run.waitFor("allow? ");
    run.type("n");
    await run.waitFor("Not run: the person said no.");
    await run.waitFor("allow? ");
    run.interrupt();
    await run.waitFor("cancelled after 2 steps");
    expect(await run.end).toEqual({ exitCode: 1, signal: 0 });
  });

  test("Ctrl-C ends a chat's run wherever it is, then the chat; the session goes on", async () => {
    const chat = open("chat", "--allow", "commands");
    await chat.waitFor("› ");
    chat.type("hello");
    await chat.waitFor("All is well");
    await chat.waitFor("› ");
    const asked = () => model.simulator.exchanges().length;
    for (const ask of [ASKS.think, ASKS.speak, ASKS.wait]) {
      const before = asked();
      chat.type(ask);
      await expect.poll(asked, { timeout: 60_000 }).toBeGreaterThan(before);
      await expect.poll(() => ask !== ASKS.wait || existsSync(join(folder, "begun.txt")), { timeout: 60_000 }).toBe(true);
      chat.interrupt();
      await chat.waitFor("(cancelled)");
      await chat.waitFor("› ");
    }
    chat.interrupt();
    await chat.waitFor("continue with: plimsoll chat --resume");
    expect(await chat.end).toEqual({ exitCode: 0, signal: 0 });

    const run = open("run", "is all there?", "--resume");
    expect(await run.end).toEqual({ exitCode: 0, signal: 0 });
    expect(model.simulator.exchanges().map(({ outcome }) => outcome)).not.toContain("rejected");
  });

  test("Ctrl-C while a summary is written leaves history as it was", async () => {
    model.holdSummaries(true);
    const chat = open("chat", "--allow", "commands", "--policy", "plimsoll-model");
    await chat.waitFor("› ");
    for (let turn = 0; turn < 2; turn++) {
      chat.type(ASKS.look);
      await chat.waitFor("All is well");
      await chat.waitFor("› ");
    }
    const before = model.simulator.exchanges().length;
    chat.type("/compact --keep 2k");
    await expect.poll(() => model.simulator.exchanges().length, { timeout: 60_000 }).toBeGreaterThan(before);
    chat.interrupt();
    await chat.waitFor("(cancelled; the context is unchanged)");
    await chat.waitFor("› ");
    expect(await countOf("compaction")).toBe(0);
    model.holdSummaries(false);
    chat.type("/compact --keep 2k");
    await chat.waitFor("◆ compacted (manual)");
    chat.type("/quit");
    expect(await chat.end).toEqual({ exitCode: 0, signal: 0 });
    expect(await countOf("compaction")).toBe(1);
  });

  test.each([
    ["the model thinks", ASKS.think],
    ["it speaks", ASKS.speak],
    ["a tool runs", ASKS.wait],
  ])("Ctrl-C while %s ends a run with 1 and says how to go on", async (_when, ask) => {
    const run = open("run", ask, "--allow", "commands");
    await expect.poll(() => model.simulator.exchanges().length, { timeout: 60_000 }).toBeGreaterThan(0);
    await expect.poll(() => ask !== ASKS.wait || existsSync(join(folder, "begun.txt")), { timeout: 60_000 }).toBe(true);
    run.interrupt();
    await run.waitFor("cancelled after 1 step:");
    await run.waitFor("continue with: plimsoll run --resume");
    expect(await run.end).toEqual({ exitCode: 1, signal: 0 });
    const next = open("run", "is all there?", "--resume");
    expect(await next.end).toEqual({ exitCode: 0, signal: 0 });
    expect(readFileSync(join(sessions(), `${sessionId()}.jsonl`), "utf8")).toContain("is all there?");
  });
});
