import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

const outside = temporaryFolder({ "secret.txt": "secret" });
const inside = temporaryFolder({ "a.txt": "a", "deep/b.txt": "b" });
let workspace: Workspace;
beforeAll(async () => {
  symlinkSync(outside.path, join(inside.path, "link-out"));
  symlinkSync(join(outside.path, "secret.txt"), join(inside.path, "file-out"));
  symlinkSync(join(outside.path, "new.txt"), join(inside.path, "to-nothing"));
  symlinkSync(join(inside.path, "deep"), join(inside.path, "link-in"));
  workspace = await openWorkspace(inside.path);
});
afterAll(() => {
  inside.remove();
  outside.remove();
});

describe("workspace", () => {
  test.each([
    ["a.txt", "a.txt"],
    [".", "."],
    ["deep/../a.txt", "a.txt"],
    ["link-in/b.txt", "deep/b.txt"],
    ["link-in/new.txt", "deep/new.txt"],
    ["new/folder/file.txt", "new/folder/file.txt"],
    ["..name", "..name"],
    [join(inside.path, "a.txt"), "a.txt"],
  ])("%s is %s", async (path, name) => {
    expect(workspace.nameOf(await workspace.place(path))).toBe(name);
  });

  test.each([
    ["..", "outside"],
    ["../other", "outside"],
    ["/etc/passwd", "outside"],
    ["deep/../../x", "outside"],
    ["link-out", "outside"],
    ["link-out/secret.txt", "outside"],
    ["link-out/new/file.txt", "outside"],
    ["file-out", "outside"],
    ["to-nothing", "link to nothing"],
    [`${inside.path}-beside`, "outside"],
    ["a\u0000b", "NUL"],
  ])("%s is refused", async (path, why) => {
    await expect(workspace.place(path)).rejects.toThrow(why);
  });
});
