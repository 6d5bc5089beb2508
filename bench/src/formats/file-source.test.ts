import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { fileSource } from "./file-source.ts";
import { importFile } from "./registry.ts";

const folder = freshFolder(beforeEach);
const log = () => folder("log.jsonl");

describe("a log that is not a regular file is refused in a line, and nothing waits", () => {
  test.each<readonly [string, () => void, string]>([
    ["a link to a device", () => symlinkSync("/dev/zero", log()), "log.jsonl: cannot be read (is not a regular file)"],
    ["a pipe", () => void execFileSync("mkfifo", [log()]), "log.jsonl: cannot be read (is not a regular file)"],
    ["a folder", () => mkdirSync(log()), "log.jsonl: cannot be read (is a folder)"],
    ["a link to nothing", () => symlinkSync("none", log()), "log.jsonl: no such file or folder"],
  ])("%s", async (_what, make, line) => {
    make();
    const source = await fileSource(log(), "log.jsonl");
    expect(() => [...source.lines()]).toThrow(line);
    await expect(source.text()).rejects.toThrow(line);
    await expect(importFile(log(), "log.jsonl")).rejects.toThrow(line);
    expect(await source.beside("log.jsonl")).toBeNull();
  });
});

test("a log that a link leads to is read, as is what belongs to it", async () => {
  writeFileSync(folder("real.jsonl"), "one\r\ntwo");
  symlinkSync("real.jsonl", log());
  const source = await fileSource(log(), "log.jsonl");
  expect([...source.lines()].map(({ text }) => text)).toEqual(["one", "two"]);
  expect(await source.beside("real.jsonl")).toBe("one\r\ntwo");
});

test.each([
  ["the first line is longer", "x".repeat(11), "log.jsonl:1: a line of more than 10 bytes, too long to read"],
  ["the last line is longer", `short\n${"x".repeat(11)}`, "log.jsonl:2: a line of more than 10 bytes, too long to read"],
  ["a line in between is longer", `a\n${"x".repeat(11)}\nb\n`, "log.jsonl:2: a line of more than 10 bytes, too long to read"],
])("if %s than what can be held, its place is told", async (_what, text, line) => {
  writeFileSync(log(), text);
  const source = await fileSource(log(), "log.jsonl", 10);
  expect(() => [...source.lines()]).toThrow(line);
});

test("lines of any number may be together longer than one may be", async () => {
  writeFileSync(log(), "0123456789\n".repeat(40_000));
  expect([...(await fileSource(log(), "log.jsonl", 10)).lines()]).toHaveLength(40_000);
});

test("a document without end is told in a line", async () => {
  writeFileSync(log(), "{");
  truncateSync(log(), 2 ** 40);
  await expect((await fileSource(log(), "log.jsonl", 10)).text()).rejects.toThrow(
    "log.jsonl: one document of more than 10 bytes, too long to read; split the file, or leave it out",
  );
});
