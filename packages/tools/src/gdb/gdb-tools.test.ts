import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call } from "../../testing/call.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import { createGdbTools, type GdbTools } from "./gdb-tools.ts";

const isThere = (program: string) => spawnSync(program, ["--version"]).status === 0;

/** Counts to three by a function, says so, then runs for ever. */
const PROGRAM = `#include <stdio.h>
volatile int go = 1;
int count(int n) { printf("n=%d\\n", n); fflush(stdout); return n + 1; }
int main(void) { int n = 0; while (n < 3) n = count(n); while (go) { } return 7; }
`;

describe.skipIf(!isThere("gdb") || !isThere("gcc"))("gdb", () => {
  const folder = temporaryFolder({ "loop.c": PROGRAM });
  let gdb: GdbTools;
  beforeAll(async () => {
    spawnSync("gcc", ["-g", "-O0", "-o", join(folder.path, "loop"), join(folder.path, "loop.c")]);
    const env = { PATH: process.env.PATH, HOME: folder.path, LC_ALL: "C" };
    gdb = createGdbTools({ workspace: await openWorkspace(folder.path), env });
  });
  afterAll(() => {
    gdb.close();
    folder.remove();
  });
  const run = async (name: string, args: unknown) => {
    const tool = gdb.tools.find(({ spec }) => spec.name === name) ?? expect.fail(name);
    return await call(tool, args);
  };
  const command = (line: string) => run("gdb_command", { command: line });

  test("breaks, waits, looks, interrupts and ends a program", async () => {
    await command("file loop");
    expect(await command("break count")).toMatchObject({ isError: false, text: expect.stringContaining("Breakpoint 1") });
    await command("run");
    expect((await run("gdb_wait_stopped", {})).isError).toBe(false);
    expect((await command("print n")).text).toContain("$1 = 0");
    expect((await command("bt")).text).toContain("main ()");
    await command("delete");
    expect((await command("continue")).text).toContain("the program runs");
    // A wait whose time is over takes nothing from the next one.
    expect((await run("gdb_wait_stopped", { timeout_seconds: 0.1 })).text).toContain("no answer in time");
    expect((await run("gdb_interrupt", {})).text).toMatch(/signal-received|SIGINT|stopped/);
    await command("set var go = 0");
    await command("continue");
    await run("gdb_wait_stopped", { timeout_seconds: 20 });
    expect((await command("info program")).text).toMatch(/not being run|exited/);
  }, 60_000);

  test("what gdb refuses is an error", async () => {
    expect(await command("print no_such_symbol_here")).toMatchObject({
      isError: true,
      text: expect.stringContaining("no_such_symbol_here"),
    });
  }, 60_000);
});
