import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { createFileArtifactStore } from "@plimsoll/stores";
import { afterEach, beforeEach, expect, test } from "vitest";
import { call } from "../testing/call.ts";
import { type TemporaryFolder, temporaryFolder } from "../testing/temporary-folder.ts";
import { grepTool } from "./grep.ts";
import { openWorkspace } from "./workspace/workspace.ts";

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder({
    "1/empty.ts": "",
    "2/no-end.ts": "one\ntwo needle",
    "3/a.ts": "needle\n\nneedle a.b\n",
    "3/b.js": "needle aXb",
    "4/nul.ts": new Uint8Array([...Buffer.from("needle\n"), 0]),
    "4/latin.ts": new Uint8Array([...Buffer.from("needle "), 0xe9, 10, ...Buffer.from("needle\n")]),
    "5/long.ts": `needle ${"x".repeat(1_000)}é`,
    "5/[x] {y}.ts": "needle ünï 🦊\r\n",
    ".git/config": "needle",
    "deep/node_modules/x.ts": "needle",
  });
});
afterEach(() => folder.remove());

const ALL = [
  "2/no-end.ts:2:two needle",
  "3/a.ts:1:needle",
  "3/a.ts:3:needle a.b",
  "3/b.js:1:needle aXb",
  "4/latin.ts:2:needle",
  "5/[x] {y}.ts:1:needle ünï 🦊\r",
  `5/long.ts:1:needle ${"x".repeat(393 - "5/long.ts:1:".length)} …`,
];

const grep = async (args: unknown) => {
  const workspace = await openWorkspace(folder.path);
  return await call(grepTool({ workspace, env: { PATH: process.env.PATH } }), args);
};

test.each([
  ["every file but binary ones and skipped folders", { pattern: "needle" }, ALL],
  ["files of one name", { pattern: "needle", include: "*.js" }, ["3/b.js:1:needle aXb"]],
  ["one folder", { pattern: "needle", path: "3" }, ALL.slice(1, 4)],
  ["one file", { pattern: "needle", path: "3/a.ts" }, ALL.slice(1, 3)],
  ["plain text", { pattern: "a.b", literal: true }, ["3/a.ts:3:needle a.b"]],
  ["an expression", { pattern: "^needle a.b$" }, ["3/a.ts:3:needle a.b", "3/b.js:1:needle aXb"]],
  ["any case", { pattern: "TWO", ignore_case: true }, ["2/no-end.ts:2:two needle"]],
  ["empty lines", { pattern: "^$" }, ["3/a.ts:2:"]],
  ["a number and a colon in the text", { pattern: "[0-9]:" }, ["No matches."]],
])("grep searches %s", async (_, args, lines) => {
  expect(await grep(args)).toEqual({ isError: false, text: lines.join("\n") });
});

test("grep passes over links, and names what it could not read", async () => {
  symlinkSync(join(folder.path, "3/a.ts"), join(folder.path, "3/link.ts"));
  expect((await grep({ pattern: "needle", path: "3" })).text).toBe(ALL.slice(1, 4).join("\n"));
  expect(await grep({ pattern: "needle", path: "3/gone.ts" })).toEqual({ isError: true, text: "3/gone.ts does not exist" });
});

test("grep ends when it is cancelled", async () => {
  const workspace = await openWorkspace(folder.path);
  const tool = grepTool({ workspace, env: { PATH: process.env.PATH } });
  const signal = AbortSignal.abort(new Error("enough"));
  expect(await call(tool, { pattern: "needle" }, { signal })).toEqual({ isError: true, text: "[cancelled]" });
});

test("an output that is too long is kept as it would be shown", async () => {
  const many = temporaryFolder({ "many.ts": "needle needle needle\n".repeat(40_000), "z.ts": "needle of z" });
  const artifacts = createFileArtifactStore(join(folder.path, "artifacts"));
  const tool = grepTool({ workspace: await openWorkspace(many.path), env: { PATH: process.env.PATH } });
  const { text, hint = "" } = await call(tool, { pattern: "needle" }, { artifacts });
  many.remove();
  const stored = await artifacts.get(/artifact:[0-9a-f]{64}/.exec(hint)?.[0] ?? "");
  expect(stored?.split("\n").slice(-3)).toEqual(["many.ts:40000:needle needle needle", "z.ts:1:needle of z", ""]);
  expect(text.startsWith("many.ts:1:needle")).toBe(true);
});
