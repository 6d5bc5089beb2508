import { readFileSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { call } from "../../testing/call.ts";
import { type TemporaryFolder, temporaryFolder } from "../../testing/temporary-folder.ts";
import { editFileTool } from "../edit-file.ts";
import { readFileTool } from "../read-file.ts";
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
  return {
    ...workspace,
    place: async (path) => {
      const place = await workspace.place(path);
      swap();
      return place;
    },
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
] as const;

test.each(TOOLS)("%s does not follow a link that replaced its file", async (_name, tool, args) => {
  const workspace = await swapped(swapFile);
  await expect(call(tool({ workspace }), { path: "folder/file.txt", ...args })).rejects.toMatchObject({ code: "bad-input" });
  expect(readFileSync(join(outside.path, "file.txt"), "utf8")).toBe("secret");
});

// Where an open file leads to is known on Linux alone.
test.skipIf(process.platform !== "linux").each(TOOLS)(
  "%s does not follow a link that replaced a folder above its file",
  async (_name, tool, args) => {
    const workspace = await swapped(swapFolder);
    await expect(call(tool({ workspace }), { path: "folder/file.txt", ...args })).rejects.toMatchObject({ code: "bad-input" });
    expect(readFileSync(join(outside.path, "file.txt"), "utf8")).toBe("secret");
  },
);
