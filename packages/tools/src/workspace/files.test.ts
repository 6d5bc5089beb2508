import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type TemporaryFolder, temporaryFolder } from "../../testing/temporary-folder.ts";
import { replaceFile } from "./files.ts";

const MODE = 0o640;

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder({ "file.txt": "before" });
  chmodSync(join(folder.path, "file.txt"), MODE);
});
const { platform: own } = process;
const runAs = (platform: string) => Object.defineProperty(process, "platform", { value: platform });
afterEach(() => {
  runAs(own);
  folder.remove();
});

// Linux goes by an open handle of the folder, the others by its path: both ways run here.
test.each(["linux", "darwin", "win32"] as const)("as on %s a file is replaced whole, with its rights", async (platform) => {
  runAs(platform);
  await replaceFile(join(folder.path, "file.txt"), "after");
  await replaceFile(join(folder.path, "new.txt"), "new");
  expect(readdirSync(folder.path).toSorted()).toEqual(["file.txt", "new.txt"]);
  expect(readFileSync(join(folder.path, "file.txt"), "utf8")).toBe("after");
  expect(readFileSync(join(folder.path, "new.txt"), "utf8")).toBe("new");
  expect(statSync(join(folder.path, "file.txt")).mode & 0o777).toBe(MODE);
});

test.each(["linux", "darwin", "win32"] as const)("as on %s a folder is not replaced", async (platform) => {
  runAs(platform);
  await expect(replaceFile(folder.path, "after")).rejects.toMatchObject({ code: "EISDIR" });
  expect(readdirSync(folder.path)).toEqual(["file.txt"]);
});
