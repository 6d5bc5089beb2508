import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { call } from "../testing/call.ts";
import { type TemporaryFolder, temporaryFolder } from "../testing/temporary-folder.ts";
import { createBuiltinTools } from "./builtin.ts";

const env = {
  PATH: process.env.PATH,
  LC_ALL: "C",
  HARMLESS: "told-1",
  ANTHROPIC_API_KEY: "planted-1",
  GITHUB_TOKEN: "planted-2",
};
const hasGdb = spawnSync("gdb", ["--version"]).status === 0;

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** Runs a tool that starts `env`, and returns the variables that it printed. */
async function environmentBy(name: string, args: unknown, passEnv: readonly string[]): Promise<string> {
  const builtin = await createBuiltinTools({ workspaceFolder: folder.path, env, passEnv, lintCommand: "env; :" });
  const { text } = await call(builtin.tools.find(({ spec }) => spec.name === name) ?? expect.fail(name), args);
  builtin.close();
  return text;
}

const STARTERS: readonly (readonly [string, unknown])[] = [
  ["run_terminal_command", { command: "env" }],
  ["shell", { command: ["env"] }],
  ["read_lints", {}],
  ...(hasGdb ? [["gdb_command", { command: "shell env" }] as const] : []),
];

describe.each(STARTERS)("the environment that %s hands on", { timeout: 60_000 }, (name, args) => {
  test("has no keys", async () => {
    const text = await environmentBy(name, args, []);
    expect(text).toContain("told-1");
    expect(text).not.toContain("planted");
  });

  test("has the one that was let through", async () => {
    const text = await environmentBy(name, args, ["GITHUB_TOKEN"]);
    expect(text).toContain("planted-2");
    expect(text).not.toContain("planted-1");
  });
});
