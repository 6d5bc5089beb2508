import { cpSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { call } from "../../testing/call.ts";
import { type TemporaryFolder, temporaryFolder } from "../../testing/temporary-folder.ts";
import { editFileTool } from "../edit-file.ts";
import { fsTool } from "../fs.ts";
import { globTool } from "../glob.ts";
import { grepTool } from "../grep.ts";
import { readFileTool } from "../read-file.ts";
import { searchCodebaseTool } from "../search-codebase.ts";
import { writeFileTool } from "../write-file.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

let outside: TemporaryFolder;
let inside: TemporaryFolder;
beforeEach(() => {
  outside = temporaryFolder({ "file.txt": "secret" });
  inside = temporaryFolder({ "folder/file.txt": "harmless" });
});
afterEach(() => {
  inside.remove();
  outside.remove();
});

/** A workspace in which someone puts a link in a place right after it was checked. */
async function swapped(swap: () => void): Promise<Workspace> {
  const workspace = await openWorkspace(inside.path);
  const swaps = [swap];
  const swappedAfter = async (checked: Promise<string>) => {
    const place = await checked;
    swaps.pop()?.();
    return place;
  };
  return {
    ...workspace,
    place: (path) => swappedAfter(workspace.place(path)),
    entryPlace: (path) => swappedAfter(workspace.entryPlace(path)),
  };
}

const swapFile = () => {
  renameSync(join(inside.path, "folder/file.txt"), join(inside.path, "folder/old"));
  symlinkSync(join(outside.path, "file.txt"), join(inside.path, "folder/file.txt"));
};
const swapFolder = () => {
  renameSync(join(inside.path, "folder"), join(inside.path, "old"));
  symlinkSync(outside.path, join(inside.path, "folder"));
};

const TOOLS = [
  ["read_file", readFileTool, {}],
  ["edit_file", editFileTool, { old_text: "secret", new_text: "known" }],
  ["write_file", writeFileTool, { content: "new" }],
  ["fs copy", fsTool, { op: "copy", to: "copy" }],
] as const;
const OF_NAMES = [
  ["fs stat", fsTool, { op: "stat" }],
  ["fs move", fsTool, { op: "move", to: "moved" }],
  ["fs remove", fsTool, { op: "remove" }],
] as const;

test.each(TOOLS)("%s does not follow a link that replaced its file", async (_name, tool, args) => {
  const workspace = await swapped(swapFile);
  await expect(call(tool({ workspace }), { path: "folder/file.txt", ...args })).rejects.toMatchObject({ code: "bad-input" });
  expect(readFileSync(join(outside.path, "file.txt"), "utf8")).toBe("secret");
});

// An open file's target is known only on Linux.
test.skipIf(process.platform !== "linux").each([...TOOLS, ...OF_NAMES])(
  "%s does not follow a link that replaced a folder above its file",
  async (_name, tool, args) => {
    const workspace = await swapped(swapFolder);
    await expect(call(tool({ workspace }), { path: "folder/file.txt", ...args })).rejects.toMatchObject({ code: "bad-input" });
    expect(readFileSync(join(outside.path, "file.txt"), "utf8")).toBe("secret");
  },
);

test.runIf(process.platform === "linux").each([
  ["write_file", writeFileTool, { path: "folder/new/file.txt", content: "new" }],
  ["fs mkdir", fsTool, { op: "mkdir", path: "folder/new/file.txt" }],
] as const)("%s makes no folder behind a link that replaced one", async (_name, tool, args) => {
  const workspace = await swapped(swapFolder);
  await expect(call(tool({ workspace }), args)).rejects.toMatchObject({ code: "bad-input" });
  expect(readdirSync(outside.path)).toEqual(["file.txt"]);
});

/** Swaps a folder and a link to the outside while work goes on, by the event loop's turns, and once more at each of its steps. */
async function whileSwapping<T>(work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const swapping = async () => {
    const [folder, aside] = [join(inside.path, "folder"), join(inside.path, "aside")];
    while (!isOver) {
      renameSync(folder, aside);
      symlinkSync(outside.path, folder);
      await new Promise(setImmediate);
      rmSync(folder);
      renameSync(aside, folder);
      await new Promise(setImmediate);
    }
  };
  const swaps = swapping();
  return await work().finally(async () => {
    isOver = true;
    await swaps;
  });
}

const SEARCHES = [
  ["grep", grepTool, { pattern: "secret|harmless" }],
  ["grep in a folder", grepTool, { pattern: "secret|harmless", path: "folder" }],
  ["grep in a file", grepTool, { pattern: "secret|harmless", path: "folder/file.txt" }],
  ["search_codebase", searchCodebaseTool, { query: "secret harmless" }],
  ["glob", globTool, { pattern: "folder/*" }],
  ["fs list", fsTool, { op: "list", path: "folder" }],
  ["fs read", fsTool, { op: "read", path: "folder/file.txt" }],
] as const;
const SEARCH_COUNT = 60;

test.runIf(process.platform === "linux").each(SEARCHES)(
  "%s prints nothing from outside while a link is swapped in and out",
  { timeout: 120_000 },
  async (_name, tool, args) => {
    cpSync(join(outside.path, "file.txt"), join(outside.path, "secret.txt"));
    const workspace = await openWorkspace(inside.path);
    const search = tool({ workspace, env: { PATH: process.env.PATH } });
    const told = await whileSwapping(async () => {
      const texts: string[] = [];
      for (let count = 0; count < SEARCH_COUNT; count++) texts.push(await call(search, args).then(({ text }) => text, String));
      return texts;
    });
    expect(told.filter((text) => text.includes("secret"))).toEqual([]);
  },
);
