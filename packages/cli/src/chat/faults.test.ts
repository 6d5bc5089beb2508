import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { recordedIo, unbroken } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";
import { chat } from "./chat-command.ts";

const folder = freshFolder(beforeEach);

const sessions = () => folder(".plimsoll/sessions");
const logName = () => readdirSync(sessions()).find((name) => name.endsWith(".jsonl")) ?? expect.fail("no log");

/** A chat that gets its lines one by one, each after the output of the one before. */
function conversation(more: { readonly resume?: string } = {}) {
  const recorded = recordedIo(folder());
  const input = new PassThrough();
  const end = chat({ demo: true, allow: ["commands"], ...more }, { io: recorded.io, input, isTerminal: false });
  return {
    said: () => unbroken(recorded.stdout()),
    say: async (line: string, answer: string) => {
      const before = recorded.stdout().length;
      input.write(`${line}\n`);
      await expect.poll(() => unbroken(recorded.stdout().slice(before)), { timeout: 30_000 }).toContain(answer);
    },
    end: () => {
      input.end();
      return end;
    },
  };
}

describe("a chat goes on", { timeout: 60_000 }, () => {
  test("after its log was removed under it, with one clear line each time, no stack, and an error at its end, as the log lacks the rest", async () => {
    const { say, said, end } = conversation();
    await say("look", "I have looked");
    // Answered when the run has ended, with all of it in the log.
    await say("/model", "context window");
    rmSync(join(sessions(), logName()));
    await say("look again", "was removed while it was in use");
    await say("/context", "results of run_terminal_command");
    await expect(end()).rejects.toThrow("was removed while it was in use");
    const lines = said()
      .split("\n")
      .filter((line) => line.startsWith("plimsoll: "));
    expect(lines).toEqual([expect.stringContaining("was removed while it was in use")]);
    expect(said()).not.toMatch(/\n\s+at /);
  });

  test("after a file that cannot be written, read or named", async () => {
    const { say, said, end } = conversation();
    await say("look", "I have looked");
    writeFileSync(folder("taken.json"), "mine");
    await say("/export taken.json", "already exists; name another file");
    await say("/export taken.json/below.json", "cannot be written");
    await say("/export", "Wrote the next request, 12 messages");
    await say("/policy ./none.yaml", "./none.yaml: cannot be read");
    await say("/policy svne", 'unknown policy "svne": did you mean sven?');
    await say("/policy sven", "--policy sven");
    await say("/model nobody/knows", 'no provider is known for "nobody/knows"');
    await say("/model", "claude-demo, context window 24.0k tokens");
    expect(await end()).toBe(0);
    expect(said()).not.toContain("unexpected");
  });

  test("on a resume with tools that it did not have, and says so", async () => {
    const first = conversation();
    await first.say("look", "I have looked");
    await first.end();
    writeFileSync(folder("AGENTS.md"), "Tabs, never spaces.");
    writeFileSync(folder("plimsoll.yaml"), "hand_off: true\n");
    const second = conversation({ resume: logName().slice(0, -".jsonl".length) });
    await second.say("go on", "I have looked");
    expect(await second.end()).toBe(0);
    expect(second.said()).toContain(
      "changed since the session was last used, and valid from now on: the system text; new tools: remaining, pin, compact\n",
    );
  });
});

test.each([
  ["a folder for logs that is a file", "sessions: taken\n", ["run", "--demo", "look"], "taken"],
  ["settings that are wrong", "max_steps: none\n", ["chat", "--demo"], "config.yaml:1:1: max_steps"],
  ["a session that is not there", "", ["chat", "--demo", "--resume", "nope"], "there is no session nope: there is none yet"],
  ["nothing to go on with", "", ["run", "look", "--demo", "--resume"], "there is no session to resume"],
])(
  "%s is one line and a code that is not 0",
  async (_what, config, argv, line) => {
    writeFileSync(folder("taken"), "");
    mkdirSync(folder(".config/plimsoll"), { recursive: true });
    writeFileSync(folder(".config/plimsoll/config.yaml"), config);
    const recorded = recordedIo(folder());
    expect(await main(argv, recorded.io)).not.toBe(0);
    expect(recorded.stderr()).toMatch(/^plimsoll: [^\n]*\n$/);
    expect(recorded.stderr()).toContain(line);
  },
  60_000,
);
