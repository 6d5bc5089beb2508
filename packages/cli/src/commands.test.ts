import { rmSync } from "node:fs";
import { startSimulator } from "@plimsoll/simulator";
import { Command } from "commander";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runChild } from "../testing/child-command.ts";
import { makeExampleFolder } from "../testing/example-folder.ts";
import { recordedIo } from "../testing/recorded-io.ts";
import { COMMANDS } from "./commands.ts";
import { main } from "./main.ts";

/** Replays of all presets, and processes that start from the sources; longer if other tests run at the same time. */
const RUN_MS = 240_000;

/** A line as a shell takes it apart: quotes of both kinds, and the home folder. */
function argumentsIn(line: string, home: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare?.replace(/^~\//, `${home}/`) ?? "",
  );
}

let folder = "";
beforeEach(async () => {
  folder = await makeExampleFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Commands that read the process's own input, or go on until Ctrl-C. */
const OF_THEIR_OWN = ["chat", "run", "serve", "mcp", "hook", "simulate", "proxy"];
/** Those that go on. */
const SERVERS = ["simulate", "proxy"];

/** Only a built program has its answer: `packages/cli/bundle/install.test.ts` runs it. */
const OF_A_BUILD = "hook plugin";

/** The payload that an agent gives to a hook. */
const PAYLOADS: Readonly<Record<string, object>> = {
  hook: { session_id: "one", transcript_path: null, hook_event_name: "SessionStart", source: "startup" },
};

/** Threads run built code, and a test has the sources. */
const SERIAL: Readonly<Record<string, readonly string[]>> = { tune: ["--jobs", "1"] };

const examples = COMMANDS.flatMap(({ name, examples: lines }) => lines.map((line) => [name, line] as const));
const isOfItsOwn = ([name]: readonly [string, string]) => OF_THEIR_OWN.includes(name);
const processes = examples.filter((each) => isOfItsOwn(each) && each[1] !== OF_A_BUILD);

describe("the help's examples", { timeout: RUN_MS }, () => {
  test.each(examples.filter((each) => !isOfItsOwn(each)))("of %s runs: plimsoll %s", async (name, line) => {
    const { io, stdout, stderr } = recordedIo(folder);
    expect(
      await main([...argumentsIn(line, folder), ...(SERIAL[name] ?? [])], { ...io, confirm: async () => true }),
      stderr(),
    ).toBe(0);
    expect(stdout().length + stderr().length).toBeGreaterThan(20);
    expect(stdout()).not.toMatch(/^Skipped|cannot be replayed/m);
  });

  test.each(processes)("of %s runs as a process: plimsoll %s", async (name, line) => {
    const simulator = await startSimulator({
      replies: () => ({ parts: [{ type: "text", text: "All is well." }] }),
      contextWindowTokens: 200_000,
    });
    const environment = {
      ...{ ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: simulator.url },
      ...{ OPENROUTER_API_KEY: "none", OPENROUTER_BASE_URL: `${simulator.url}/v1` },
    };
    const { exitCode, stdout, stderr } = await runChild({
      args: argumentsIn(line, folder),
      cwd: folder,
      environment,
      input: line in PAYLOADS ? JSON.stringify(PAYLOADS[line]) : "",
      ...(SERVERS.includes(name) && { interruptWhenHeard: true as const }),
    }).finally(() => simulator.close());
    expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
    expect(stderr).not.toContain("unexpected");
  });

  test("are two at least for each command, and stand in its help", async () => {
    for (const { name, examples: lines } of COMMANDS) {
      const { io, stdout } = recordedIo(folder);
      expect(await main([name, "--help"], io)).toBe(0);
      const shown = stdout().split(" \\\n    ").join(" ");
      expect(shown).not.toMatch(/\(default: (\[\]|a )/);
      expect(lines.length).toBeGreaterThanOrEqual(2);
      for (const line of lines) expect(shown).toContain(`  plimsoll ${line}\n`);
    }
  });
});

test("there are at most 20 commands with sub-commands, and 37 options in all", async () => {
  const { io } = recordedIo(folder);
  const names = new Set<string>();
  const paths: string[] = [];
  const visit = (command: Command, path: string): void => {
    paths.push(path);
    for (const { long } of command.options) names.add(String(long));
    for (const each of command.commands) visit(each, `${path} ${each.name()}`);
  };
  for (const { name, load } of COMMANDS) {
    const command = new Command(name);
    (await load())(command, io, () => undefined);
    visit(command, name);
  }
  expect(names).toContain("--undo");
  expect(paths.slice(20)).toEqual([]);
  expect([...names].sort().slice(37)).toEqual([]);
});
