import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type AgentTool, OUTPUT_CATEGORIES, type ToolOutput } from "@plimsoll/core/extend";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { call } from "../testing/call.ts";
import { type TemporaryFolder, temporaryFolder } from "../testing/temporary-folder.ts";
import { type BuiltinTools, createBuiltinTools } from "./builtin.ts";

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
const toolNamed = (name: string): AgentTool =>
  builtin.tools.find(({ spec }) => spec.name === name) ?? expect.fail(`no tool ${name}`);

describe("built-in tools", { timeout: 30_000 }, () => {
  test.each([
    ["read_file", "file-content", true, { path: "a" }, ["read a"]],
    ["edit_file", "generic", false, { path: "a", old_text: "x", new_text: "y" }, ["modify a"]],
    ["write_file", "generic", false, { path: "a", content: "" }, ["modify a"]],
    ["fs", "file-content", false, { op: "copy", path: "a", to: "b" }, ["read a", "modify b"]],
    ["glob", "match-list", true, { pattern: "*" }, []],
    ["grep", "match-list", true, { pattern: "x" }, []],
    ["search_codebase", "match-list", true, { query: "x" }, []],
    ["read_lints", "match-list", true, {}, []],
    ["shell", "head-tail", false, { command: ["ls"] }, []],
    ["run_terminal_command", "head-tail", false, { command: "ls" }, []],
    ["gdb_command", "head-tail", false, { command: "bt" }, []],
    ["gdb_interrupt", "head-tail", false, {}, []],
    ["gdb_wait_stopped", "head-tail", false, {}, []],
    ["recall", "file-content", false, { handle: "h" }, []],
    ["todo", "generic", false, { items: [] }, []],
    ["task", "generic", false, { prompt: "x" }, []],
  ])("%s is %s, rerunnable: %s; %j touches %j", (name, category, isRerunnable, args, paths) => {
    const tool = toolNamed(name);
    expect({ category: tool.category, isRerunnable: tool.isRerunnable }).toEqual({ category, isRerunnable });
    expect(tool.pathsOf(args).map(({ access, path }) => `${access} ${path}`)).toEqual(paths);
    expect(tool.pathsOf({ nonsense: true })).toEqual([]);
    expect(tool.hint).toMatch(/^[a-z].{10,}[^.]$/);
    expect(JSON.parse(tool.spec.parametersJson)).toMatchObject({ type: "object", additionalProperties: false });
    expect(tool.spec.description.length).toBeGreaterThan(20);
  });

  const write = (what: string, files: readonly string[], before: string | null = null, after: string | null = null) => {
    return { kind: "write", what, files, before, after };
  };
  const execute = (command: string, where = ".") => ({ kind: "execute", command, folder: where });

  test.each([
    ["read_file", { path: "src/a.ts" }, { kind: "read" }],
    ["fs", { op: "list", path: "src" }, { kind: "read" }],
    ["fs", { op: "stat", path: "src" }, { kind: "read" }],
    ["fs", { op: "read", path: "src/a.ts" }, { kind: "read" }],
    ["glob", { pattern: "*" }, { kind: "read" }],
    ["grep", { pattern: "x" }, { kind: "read" }],
    ["search_codebase", { query: "x" }, { kind: "read" }],
    ["recall", { handle: "h" }, { kind: "read" }],
    ["todo", { items: [] }, { kind: "read" }],
    ["task", { prompt: "x" }, { kind: "read" }],
    ["edit_file", { path: "src/../src/a.ts", old_text: "x", new_text: "y" }, write("edit src/a.ts", ["src/a.ts"], "x", "y")],
    [
      "edit_file",
      { path: "gone.ts", old_text: "x", new_text: "", replace_all: true },
      write("edit gone.ts, everywhere in it", ["gone.ts"], "x", ""),
    ],
    ["write_file", { path: "new.ts", content: "1" }, write("create new.ts", ["new.ts"], null, "1")],
    ["write_file", { path: "odd.txt", content: "1" }, write("replace odd.txt", ["odd.txt"], "a\ufffdb\n", "1")],
    [
      "write_file",
      { path: "data.bin", content: "1" },
      write("replace data.bin, 3 bytes that are not shown", ["data.bin"], null, "1"),
    ],
    ["fs", { op: "mkdir", path: "a/b" }, write("make the folder a/b", ["a/b"])],
    ["fs", { op: "remove", path: "src" }, write("remove src and all that is in it", ["src"])],
    [
      "fs",
      { op: "move", path: "src/a.ts", to: "b.ts" },
      write("move src/a.ts to b.ts, replacing the existing target", ["src/a.ts", "b.ts"]),
    ],
    [
      "fs",
      { op: "copy", path: "src/a.ts", to: "b.ts" },
      write("copy src/a.ts to b.ts, replacing the existing target", ["b.ts"]),
    ],
    ["read_lints", {}, execute("cat")],
    ["read_lints", { paths: ["src/a.ts", "it's"] }, execute("cat src/a.ts 'it'\\''s'")],
    ["shell", { command: ["git", "commit", "-m", "a $b"], workdir: "src" }, execute("git commit -m 'a $b'", "src")],
    ["shell", { command: ["A=1", "x"] }, execute("'A=1' x")],
    ["run_terminal_command", { command: "cat a | wc\n# b" }, execute("cat a | wc\n# b")],
    ["run_terminal_command", { command: "ls", cwd: "src" }, execute("ls", "src")],
    ["gdb_command", { command: "shell ls" }, execute("(gdb) shell ls")],
    ["gdb_interrupt", {}, execute("(gdb) interrupt")],
    ["gdb_wait_stopped", {}, execute("(gdb) wait until it stops")],
  ])("%s with %j says what it may do", async (name, args, effect) => {
    expect(await toolNamed(name).effectOf(args)).toEqual(effect);
  });

  test.each([
    ["edit_file", { path: "../x", old_text: "x", new_text: "y" }],
    ["write_file", { path: "/etc/x", content: "" }],
    ["fs", { op: "remove", path: "../x" }],
    ["fs", { op: "copy", path: "src/a.ts", to: "../x" }],
    ["shell", { command: ["ls"], workdir: ".." }],
    ["run_terminal_command", { command: "ls", cwd: "/" }],
  ])("%s with %j would leave the workspace, and that is all that it says", async (name, args) => {
    await expect(toolNamed(name).effectOf(args)).rejects.toThrow("is outside the workspace");
  });

  test("arguments that do not fit do nothing", () => {
    for (const tool of builtin.tools) expect(tool.effectOf({ nonsense: true })).toEqual({ kind: "read" });
  });

  test("no other tool is built in", () => {
    expect(builtin.tools).toHaveLength(16);
    expect(builtin.tools.every(({ category }) => OUTPUT_CATEGORIES.includes(category))).toBe(true);
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
    ["edit_file", { path: "src/a.ts", old_text: "kiwi", new_text: "x" }, "was not found in"],
    ["edit_file", { path: "src/a.ts", old_text: "export", new_text: "x" }, "2 times"],
    ["edit_file", { path: "odd.txt", old_text: "a", new_text: "x" }, "not an editable text file"],
    ["grep", { pattern: "(" }, "("],
    ["fs", { op: "remove", path: "." }, "not removed"],
    ["fs", { op: "copy", path: "src", to: "src/x" }, "src cannot be copied into itself"],
    ["run_terminal_command", { command: "echo gone; exit 3" }, "gone\n[exit code 3]"],
    ["run_terminal_command", { command: "kill -9 $$" }, "[ended by SIGKILL]"],
    ["shell", { command: ["no-such-program"] }, "not found"],
  ])("%s %j is an error: %s", async (name, args, said) => {
    const { text, isError } = await run(name, args);
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(said) });
  });

  const OUTSIDE = [
    "..",
    "../plimsoll-x",
    "/etc/passwd",
    "src/../../plimsoll-x",
    "out",
    "out/passwd",
    "out/new/file",
    "src/secret",
    "to-nothing",
  ];
  const AT_A_PATH: readonly [string, (path: string) => unknown][] = [
    ["read_file", (path) => ({ path })],
    ["edit_file", (path) => ({ path, old_text: "a", new_text: "b" })],
    ["write_file", (path) => ({ path, content: "x" })],
    ["fs", (path) => ({ op: "read", path })],
    ["fs", (path) => ({ op: "list", path })],
    ["fs", (path) => ({ op: "stat", path })],
    ["fs", (path) => ({ op: "mkdir", path })],
    ["fs", (path) => ({ op: "copy", path, to: "copy" })],
    ["fs", (path) => ({ op: "copy", path: "src/a.ts", to: path })],
    ["fs", (path) => ({ op: "move", path: "src/a.ts", to: path })],
    ["glob", (path) => ({ pattern: "*", path })],
    ["grep", (path) => ({ pattern: "a", path })],
    ["search_codebase", (path) => ({ query: "a", path })],
    ["read_lints", (path) => ({ paths: [path] })],
    ["shell", (path) => ({ command: ["pwd"], workdir: path })],
    ["run_terminal_command", (path) => ({ command: "pwd", cwd: path })],
  ];
  test.each(AT_A_PATH.flatMap(([name, argsAt]) => OUTSIDE.map((path) => [name, argsAt(path)] as const)))(
    "%s %j does not leave the workspace",
    async (name, args) => {
      symlinkSync("/etc", join(folder.path, "out"));
      symlinkSync("/etc/passwd", join(folder.path, "src/secret"));
      symlinkSync("/etc/no-such-file", join(folder.path, "to-nothing"));
      await expect(run(name, args)).rejects.toMatchObject({ code: "bad-input" });
      expect(existsSync("/etc/no-such-file") || existsSync("/etc/new") || existsSync(join(folder.path, "../plimsoll-x"))).toBe(
        false,
      );
    },
  );

  test.each(["../x", "/etc/passwd", "src/../../x", "out/passwd"])("fs does not remove or move %s", async (path) => {
    symlinkSync("/etc", join(folder.path, "out"));
    await expect(run("fs", { op: "remove", path })).rejects.toThrow("outside the workspace");
    await expect(run("fs", { op: "move", path, to: "stolen" })).rejects.toThrow("outside the workspace");
  });

  test("of a link the link is removed or moved, not what it leads to", async () => {
    symlinkSync(join(folder.path, "src/a.ts"), join(folder.path, "link"));
    symlinkSync("/etc/passwd", join(folder.path, "out"));
    await run("fs", { op: "move", path: "link", to: "moved" });
    await run("fs", { op: "remove", path: "moved" });
    await run("fs", { op: "remove", path: "out" });
    expect(existsSync(join(folder.path, "src/a.ts"))).toBe(true);
    expect(readdirSync(folder.path).sort()).toEqual(["data.bin", "node_modules", "odd.txt", "src"]);
  });

  test.each([
    ["read_file", { path: "no/such.txt" }, "no/such.txt does not exist"],
    ["read_file", { path: "src" }, "src is a folder"],
    ["read_file", { path: "pipe" }, "pipe is not a regular file"],
    ["edit_file", { path: "gone.txt", old_text: "a", new_text: "b" }, "gone.txt does not exist"],
    ["write_file", { path: "src", content: "" }, "src is a folder"],
    ["write_file", { path: "pipe", content: "" }, "pipe is not a regular file"],
    ["write_file", { path: "src/a.ts/b", content: "" }, "src/a.ts/b goes through a file as if it were a folder"],
    ["fs", { op: "read", path: "pipe" }, "pipe is not a regular file"],
    ["fs", { op: "remove", path: "gone" }, "gone does not exist"],
    ["fs", { op: "move", path: "gone", to: "x" }, "gone does not exist"],
    ["fs", { op: "list", path: "src/a.ts" }, "goes through a file as if it were a folder"],
  ])("%s %j ends with one line: %s", async (name, args, line) => {
    spawnSync("mkfifo", [join(folder.path, "pipe")]);
    await expect(run(name, args)).rejects.toThrow(line);
    expect(readdirSync(folder.path).filter((file) => file.endsWith(".part"))).toEqual([]);
  });

  test("files are written, edited, moved and removed", async () => {
    await run("write_file", { path: "new/file.txt", content: "one two" });
    await run("edit_file", { path: "new/file.txt", old_text: "two", new_text: "$& three" });
    await run("fs", { op: "move", path: "new/file.txt", to: "other/file.txt" });
    expect(readFileSync(join(folder.path, "other/file.txt"), "utf8")).toBe("one $& three");
    await run("fs", { op: "remove", path: "other" });
    expect(existsSync(join(folder.path, "other"))).toBe(false);
  });

  test("a folder is copied over what is there, with its permissions, and links as they are", async () => {
    symlinkSync("a.ts", join(folder.path, "src/link"));
    chmodSync(join(folder.path, "src/a.ts"), 0o750);
    for (const _ of [1, 2]) await run("fs", { op: "copy", path: "src", to: "copy" });
    expect(readdirSync(join(folder.path, "copy")).sort()).toEqual(["a.ts", "b.ts", "link"]);
    expect(readlinkSync(join(folder.path, "copy/link"))).toBe("a.ts");
    expect(statSync(join(folder.path, "copy/a.ts")).mode & 0o777).toBe(0o750);
    expect(readFileSync(join(folder.path, "copy/b.ts"))).toEqual(readFileSync(join(folder.path, "src/b.ts")));
  });

  test("a file that is replaced keeps its permissions", async () => {
    const path = join(folder.path, "src/a.ts");
    chmodSync(path, 0o750);
    await run("edit_file", { path: "src/a.ts", old_text: "apple", new_text: "plum" });
    await run("write_file", { path: "src/a.ts", content: "new" });
    expect(statSync(path).mode & 0o777).toBe(0o750);
    expect(readFileSync(path, "utf8")).toBe("new");
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

test("the context tools that are offered pass their calls on to the session, with their share", async () => {
  const calls: unknown[] = [];
  const contextCall = async (given: unknown) => {
    calls.push(given);
    return "said";
  };
  const offering = await createBuiltinTools({ workspaceFolder: folder.path, env: {}, context: ["recall", "compact"] });
  const named = (name: string) => offering.tools.find(({ spec }) => spec.name === name) ?? expect.fail(name);
  expect(await call(named("compact"), { focus: "the open bug" }, { contextCall })).toEqual({ text: "said", isError: false });
  await call(named("recall"), { path: "x" }, { contextCall });
  offering.close();
  expect(calls).toEqual([
    { name: "compact", args: { focus: "the open bug" }, from: 0.5 },
    { name: "recall", args: null, from: 0.5 },
  ]);
  expect(builtin.tools.some(({ spec }) => ["remaining", "pin", "compact"].includes(spec.name))).toBe(false);
});
