import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createFileArtifactStore } from "./file-artifact-store.ts";
import { createFileSessionStore } from "./file-session-store.ts";
import { leadsOut, openRegularFile, openRegularFileSync, readAtMost, readRegularFile, readSmallFile } from "./regular-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-regular-"));
  mkdirSync(join(folder, "clone/sub"), { recursive: true });
  mkdirSync(join(folder, "home"));
  writeFileSync(join(folder, "home/id_rsa"), "secret");
  writeFileSync(join(folder, "clone/inside.md"), "inside");
});

const at = (name: string) => join(folder, name);
const endless = (path: string) => {
  writeFileSync(path, "");
  truncateSync(path, 2 ** 40);
};
const pipe = (name: string) => execFileSync("mkfifo", [at(name)]);
const read = (name: string) => readSmallFile(at(name), { within: at("clone"), maximumBytes: 100 });
const refused = (why: string) => ({ kind: "refused", why });

describe("a small file of a folder that may be somebody else's", () => {
  test.each<readonly [string, (name: string) => void, ReturnType<typeof read> | ReturnType<typeof refused>]>([
    ["that is not there is absent", () => undefined, { kind: "absent" }],
    ["is read", (name) => writeFileSync(name, "ours"), { kind: "text", text: "ours" }],
    ["is read through a link that stays inside", (name) => symlinkSync("inside.md", name), { kind: "text", text: "inside" }],
    [
      "linked to a file outside",
      (name) => symlinkSync("../home/id_rsa", name),
      refused("is a link that leads out of this folder"),
    ],
    ["linked to a device", (name) => symlinkSync("/dev/zero", name), refused("is a link that leads out of this folder")],
    [
      "linked to what the system says of us",
      (name) => symlinkSync("/proc/self/environ", name),
      refused("is a link that leads out of this folder"),
    ],
    ["linked to itself", (name) => symlinkSync(name, name), refused("is a symbolic link, or leads through too many")],
    ["linked to nothing", (name) => symlinkSync("none", name), refused("is a link to nothing")],
    ["that is a folder", (name) => mkdirSync(name), refused("is a folder")],
    ["that is a pipe", (name) => void execFileSync("mkfifo", [name]), refused("is not a regular file")],
    ["that is as long as it may be", (name) => writeFileSync(name, "x".repeat(100)), { kind: "text", text: "x".repeat(100) }],
    ["that is longer", (name) => writeFileSync(name, "x".repeat(101)), refused("has more than 100 bytes")],
    ["without end", endless, refused("has more than 100 bytes")],
  ])("%s", (_what, make, expected) => {
    make(at("clone/AGENTS.md"));
    expect(read("clone/AGENTS.md")).toEqual(expected);
  });

  test("below a folder that is a link out is refused", () => {
    symlinkSync(at("home"), at("clone/linked"));
    expect(read("clone/linked/id_rsa")).toEqual(refused("is a link that leads out of this folder"));
  });

  test("may be named by a person through a link", () => {
    symlinkSync(at("home/id_rsa"), at("clone/named"));
    expect(readSmallFile(at("clone/named"), { maximumBytes: 100 })).toEqual({ kind: "text", text: "secret" });
  });

  test("as a hard link cannot be told from any other: no clone has one to a file outside", () => {
    linkSync(at("home/id_rsa"), at("clone/AGENTS.md"));
    expect(read("clone/AGENTS.md")).toEqual({ kind: "text", text: "secret" });
  });
});

test("a file that grew since it was opened is read to its bound and no further", () => {
  writeFileSync(at("grows"), "x".repeat(60));
  const file = openRegularFileSync(at("grows"));
  appendFileSync(at("grows"), "y".repeat(40));
  expect(readAtMost(file, 100)?.length).toBe(100);
  closeSync(file);
  const again = openRegularFileSync(at("grows"));
  appendFileSync(at("grows"), "z");
  expect(readAtMost(again, 100)).toBeNull();
  closeSync(again);
});

test.each<readonly [string, (name: string) => void, string]>([
  ["a pipe", pipe, "ENXIO"],
  ["a folder", (name) => mkdirSync(at(name)), "EISDIR"],
])("%s is not a regular file, and opening it does not wait", async (_what, make, code) => {
  make("clone/odd");
  await expect(openRegularFile(at("clone/odd"))).rejects.toMatchObject({ code });
  expect(() => openRegularFileSync(at("clone/odd"))).toThrow(expect.objectContaining({ code }));
});

test.each<readonly [string, () => void, string | null]>([
  ["a new folder", () => undefined, null],
  ["a folder that is there", () => mkdirSync(at("clone/.plimsoll/sessions"), { recursive: true }), null],
  ["a link that stays inside", () => symlinkSync("sub", at("clone/.plimsoll")), null],
  ["a link out", () => symlinkSync("../home", at("clone/.plimsoll")), "home"],
  ["a link to nothing outside", () => symlinkSync("../none", at("clone/.plimsoll")), "clone/.plimsoll"],
  [
    "a link out further down",
    () => {
      mkdirSync(at("clone/.plimsoll"));
      symlinkSync("../../home", at("clone/.plimsoll/sessions"));
    },
    "home",
  ],
])("%s to write to leads out of the place or not", (_what, make, out) => {
  make();
  expect(leadsOut(at("clone"), ".plimsoll/sessions")).toBe(out === null ? null : at(out));
});

describe("a store in a folder", () => {
  const line = `{"type":"session"}\n`;

  test.each<readonly [string, (name: string) => void]>([
    ["a link", (name) => symlinkSync(at("home/log.jsonl"), at(name))],
    ["a pipe", pipe],
  ])("neither lists, reads nor writes %s", async (_what, make) => {
    writeFileSync(at("home/log.jsonl"), line);
    make("clone/sub/x.jsonl");
    const store = createFileSessionStore({ folder: at("clone/sub") });
    expect(await store.list()).toEqual([]);
    await expect(store.read("x")).rejects.toMatchObject({ code: "bad-session" });
    await expect(store.open("x")).rejects.toMatchObject({ code: "bad-session" });
  });

  test("gives no text that a link leads to", async () => {
    const handle = `artifact:${"0".repeat(64)}`;
    symlinkSync(at("home/id_rsa"), at(`clone/sub/${"0".repeat(64)}.txt`));
    await expect(createFileArtifactStore(at("clone/sub")).get(handle)).rejects.toMatchObject({ code: "bad-session" });
  });
});

test("a file of a cache is read if it is regular and not too large", () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-cache-"));
  writeFileSync(join(folder, "a"), "12345");
  expect(readRegularFile(join(folder, "a"), 5).toString()).toBe("12345");
  expect(() => readRegularFile(join(folder, "a"), 4)).toThrow(expect.objectContaining({ code: "EFBIG" }));
  expect(() => readRegularFile("/dev/zero", 4)).toThrow(expect.objectContaining({ code: "ENXIO" }));
  rmSync(folder, { recursive: true });
});
