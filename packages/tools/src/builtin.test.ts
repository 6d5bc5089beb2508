import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { OUTPUT_CATEGORIES } from "@plimsoll/core";
import type { AgentTool, ToolOutput } from "@plimsoll/core/agent";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type BuiltinTools, createBuiltinTools } from "./builtin.ts";
import { createToolRegistry } from "./registry.ts";
import { call } from "./testing/call.ts";
import { type TemporaryFolder, temporaryFolder } from "./testing/temporary-folder.ts";

let folder: TemporaryFolder;
let builtin: BuiltinTools;
beforeEach(async () => {
  folder = temporaryFolder({
    "src/a.ts": "export const apple = 1;\nexport const pear = 2;\n",
    "src/b.ts": "import { apple } from './a.ts';\n// apple pear\n",
    "node_modules/x/index.js": "apple",
    "data.bin": new Uint8Array([1, 0, 2]),
    "odd.txt": new Uint8Array([0x61, 0xff, 0x62, 0x0a]),
  });
  builtin = await createBuiltinTools({ workspaceFolder: folder.path, env: { PATH: process.env.PATH }, lintCommand: "cat" });
});
afterEach(() => {
  builtin.close();
  folder.remove();
});

const run = (name: string, args: unknown): Promise<ToolOutput> => call(toolNamed(name), args);
const toolNamed = (name: string): AgentTool => createToolRegistry(builtin.tools).find(name) ?? expect.fail(`no tool ${name}`);

describe("built-in tools", { timeout: 30_000 }, () => {
  test("each declares a category, a schema and a description", () => {
    for (const { spec, category } of builtin.tools) {
      expect(OUTPUT_CATEGORIES).toContain(category);
      expect(JSON.parse(spec.parametersJson)).toMatchObject({ type: "object" });
      expect(spec.description.length).toBeGreaterThan(20);
    }
  });

  test.each([
    ["head-tail", ["shell", "run_terminal_command", "gdb_command", "gdb_interrupt", "gdb_wait_stopped"]],
    ["match-list", ["grep", "search_codebase", "read_lints", "glob"]],
    ["file-content", ["read_file", "fs", "read_artifact"]],
    ["generic", ["edit_file", "write_file", "todo", "task"]],
  ])("%s: %j", (category, names) => {
    expect(names.map((name) => toolNamed(name).category)).toEqual(names.map(() => category));
  });

  test.each([
    ["read_file", { path: "src/a.ts" }, "1  export const apple = 1;\n2  export const pear = 2;"],
    ["read_file", { path: "src/a.ts", offset: 2 }, "2  export const pear = 2;"],
    ["read_file", { path: "src/a.ts", limit: 1 }, "1  export const apple = 1;\n[lines 1 to 1 of 2]"],
    ["read_file", { path: "data.bin" }, "[binary file of 3 bytes, not shown]"],
    ["read_file", { path: "odd.txt" }, "1  a\ufffdb"],
    ["glob", { pattern: "**/*.ts" }, "src/a.ts\nsrc/b.ts"],
    ["glob", { pattern: "*.ts", path: "src" }, "src/a.ts\nsrc/b.ts"],
    ["glob", { pattern: "../**/*" }, "No files."],
    ["grep", { pattern: "apple = [0-9]+" }, "src/a.ts:1:export const apple = 1;"],
    [
      "grep",
      { pattern: "APPLE", ignore_case: true, path: "src/b.ts", include: "*.ts" },
      "src/b.ts:1:import { apple } from './a.ts';\nsrc/b.ts:2:// apple pear",
    ],
    ["grep", { pattern: "kiwi" }, "No matches."],
    ["grep", { pattern: "-e" }, "No matches."],
    [
      "search_codebase",
      { query: "pear APPLE" },
      "src/b.ts:2:// apple pear\nsrc/a.ts:1:export const apple = 1;\nsrc/a.ts:2:export const pear = 2;\nsrc/b.ts:1:import { apple } from './a.ts';",
    ],
    ["read_lints", { paths: ["src/a.ts"] }, "export const apple = 1;\nexport const pear = 2;"],
    ["fs", { op: "list", path: "src" }, "a.ts\nb.ts"],
    ["fs", { op: "read", path: "src/b.ts" }, "import { apple } from './a.ts';\n// apple pear\n"],
    ["shell", { command: ["printf", "%s|", "a b", "$HOME"] }, "a b|$HOME|"],
    ["run_terminal_command", { command: "echo out; echo err >&2; pwd | wc -l" }, "out\nerr\n1"],
    ["run_terminal_command", { command: "pwd", cwd: "src" }, "src"],
    ["todo", { items: [{ text: "mend", status: "doing" }] }, "[~] mend"],
  ])("%s %j", async (name, args, expected) => {
    const { text, isError } = await run(name, args);
    expect({ isError, text: text.endsWith(expected) ? expected : text }).toEqual({ isError: false, text: expected });
  });

  test.each([
    ["read_file", { path: "src/a.ts", offset: 9 }, "has 2 lines"],
    ["edit_file", { path: "src/a.ts", old_text: "kiwi", new_text: "x" }, "does not stand in"],
    ["edit_file", { path: "src/a.ts", old_text: "export", new_text: "x" }, "2 times"],
    ["edit_file", { path: "odd.txt", old_text: "a", new_text: "x" }, "no text file"],
    ["grep", { pattern: "(" }, "("],
    ["fs", { op: "remove", path: "." }, "not removed"],
    ["run_terminal_command", { command: "echo gone; exit 3" }, "gone\n[exit code 3]"],
    ["run_terminal_command", { command: "kill -9 $$" }, "[ended by SIGKILL]"],
    ["shell", { command: ["no-such-program"] }, "not found"],
    ["read_artifact", { handle: "artifact:none" }, "Nothing is known"],
  ])("%s %j is an error: %s", async (name, args, said) => {
    const { text, isError } = await run(name, args);
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(said) });
  });

  test.each([
    ["read_file", { path: "../x" }],
    ["write_file", { path: "/tmp/x", content: "" }],
    ["edit_file", { path: "out/secret", old_text: "a", new_text: "b" }],
    ["fs", { op: "copy", path: "src/a.ts", to: "out/a.ts" }],
    ["fs", { op: "list", path: "out" }],
    ["glob", { pattern: "*", path: "out" }],
    ["grep", { pattern: "a", path: "out" }],
    ["shell", { command: ["pwd"], workdir: ".." }],
    ["run_terminal_command", { command: "pwd", cwd: "out" }],
    ["read_lints", { paths: ["out"] }],
  ])("%s %j does not leave the workspace", async (name, args) => {
    symlinkSync("/etc", join(folder.path, "out"));
    await expect(run(name, args)).rejects.toThrow("outside the workspace");
  });

  test("files are written, edited, moved and removed", async () => {
    await run("write_file", { path: "new/file.txt", content: "one two" });
    await run("edit_file", { path: "new/file.txt", old_text: "two", new_text: "$& three" });
    await run("fs", { op: "move", path: "new/file.txt", to: "other/file.txt" });
    expect(readFileSync(join(folder.path, "other/file.txt"), "utf8")).toBe("one $& three");
    await run("fs", { op: "remove", path: "other" });
    expect(existsSync(join(folder.path, "other"))).toBe(false);
  });

  test("calls say which paths they touch", () => {
    expect(toolNamed("fs").pathsOf({ op: "copy", path: "a", to: "b" })).toEqual([
      { path: "a", access: "read" },
      { path: "b", access: "modify" },
    ]);
    expect(toolNamed("edit_file").pathsOf({ path: "a", old_text: "x", new_text: "y" })).toEqual([
      { path: "a", access: "modify" },
    ]);
    expect(toolNamed("read_file").pathsOf({ nonsense: true })).toEqual([]);
  });

  test("each session has a todo list of its own, which compaction is told", async () => {
    await run("todo", { items: [{ text: "mend", status: "open" }] });
    expect(builtin.stateOf("test")()).toEqual({ title: "To do", text: "[ ] mend" });
    expect(builtin.stateOf("other")()).toBeNull();
  });

  test("a task is a sub-agent's", async () => {
    const runSubAgent = async ({ prompt }: { prompt: string }) => ({ sessionId: "s", text: `did ${prompt}`, isError: false });
    expect(await call(toolNamed("task"), { prompt: "it" }, { runSubAgent })).toEqual({ text: "did it", isError: false });
  });
});

test("a hand-off is offered where it is asked for, and passes on what the summary must hold", async () => {
  const asked: string[] = [];
  const offering = await createBuiltinTools({ workspaceFolder: folder.path, env: {}, handOff: "offered" });
  const handOff = createToolRegistry(offering.tools).find("hand_off") ?? expect.fail();
  const { isError } = await call(handOff, { focus: "the open bug" }, { requestHandOff: (focus) => void asked.push(focus) });
  offering.close();
  expect({ isError, asked, isThereByDefault: builtin.tools.some(({ spec }) => spec.name === "hand_off") }).toEqual({
    isError: false,
    asked: ["the open bug"],
    isThereByDefault: false,
  });
});
