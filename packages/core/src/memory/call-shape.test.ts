import { expect, test } from "vitest";
import { type ToolTable, toolShapeOf } from "./call-shape.ts";

const TABLE: ToolTable = { look: "read", change: "modify", run: "command", patcher: "patch", seek: "search", think: "other" };

const PATCH =
  "*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** Move to: b.ts\n*** Add File: c.ts\n*** Update File: a.ts\n*** End Patch";

const READ = [{ path: "a.ts", access: "read" }];
const MODIFIED = [{ path: "a.ts", access: "modify" }];

test.each([
  ["known: read", "look", { path: "a.ts" }, "file-content", READ],
  ["known: modify", "change", { file_path: "a.ts" }, "generic", MODIFIED],
  ["known: command, its path is no file", "run", { path: "x" }, "head-tail", []],
  ["known: search, its path is where it looks", "seek", { pattern: "p", path: "src" }, "match-list", []],
  ["known: nothing of these", "think", { content: "x" }, "generic", []],
  [
    "known: patch names each file once",
    "patcher",
    { input: PATCH },
    "generic",
    ["a.ts", "b.ts", "c.ts"].map((path) => ({ path, access: "modify" })),
  ],
  ["known name wins over arguments", "run", { file_path: "a", content: "b" }, "head-tail", []],
  ["unknown: path alone reads", "other_read", { filePath: "a.ts", limit: 3 }, "file-content", READ],
  ["unknown: path and old_text modify", "other_edit", { path: "a.ts", old_text: "x", new_text: "y" }, "generic", MODIFIED],
  ["unknown: path and newCode modify", "other_edit", { file_path: "a.ts", oldCode: "x", newCode: "y" }, "generic", MODIFIED],
  ["unknown: path and replace modify", "other_edit", { path: "a.ts", search: "x", replace: "y" }, "generic", MODIFIED],
  ["unknown: a path and a bound on age read", "other_read", { path: "a.ts", newest: true }, "file-content", READ],
  [
    "unknown: of a folder and files in it, the files",
    "other_extract",
    { path: "/w", files: ["a.ts", "b.ts"] },
    "file-content",
    ["a.ts", "b.ts"].map((path) => ({ path, access: "read" })),
  ],
  [
    "a patch whose text calls tools is a patch, with a line before it or without",
    "patcher",
    { input: "\n*** Begin Patch\n*** Update File: a.ts\n+await tools.exec_command({ cmd: 'cat b.ts' });\n*** End Patch" },
    "generic",
    MODIFIED,
  ],
  ["unknown: path and content modify", "other_write", { path: "a.ts", content: "" }, "generic", MODIFIED],
  ["unknown: path and edits modify", "other_edit", { path: "a.ts", edits: [] }, "generic", MODIFIED],
  ["unknown: editor command that shows", "editor", { command: "view", path: "a.ts" }, "file-content", READ],
  ["unknown: editor command that changes", "editor", { command: "create", path: "a.ts" }, "generic", MODIFIED],
  [
    "a command that only shows a file",
    "run",
    { cmd: "nl -ba src/a.ts | sed -n 1,9p" },
    "head-tail",
    [{ path: "src/a.ts", access: "read" }],
  ],
  ["unknown: command", "sh", { command: "ls" }, "head-tail", []],
  ["unknown: command with a folder", "sh", { command: "ls", path: "/w" }, "head-tail", []],
  ["unknown: pattern with a folder", "rg", { pattern: "x", path: "src" }, "match-list", []],
  ["unknown: query", "find", { query: "x" }, "match-list", []],
  [
    "unknown: patch text",
    "p",
    { input: PATCH },
    "generic",
    ["a.ts", "b.ts", "c.ts"].map((path) => ({ path, access: "modify" })),
  ],
  ["unknown arguments", "x", { a: 1 }, "generic", []],
  ["no arguments", "x", null, "generic", []],
  ["a name of Object.prototype", "toString", { path: "a" }, "file-content", [{ path: "a", access: "read" }]],
  ["a path that is empty or no string", "look", { path: "", file: 3 }, "file-content", []],
])("%s", (_, name, args, category, paths) => {
  expect(toolShapeOf(TABLE, name, args)).toEqual({ category, paths });
});
