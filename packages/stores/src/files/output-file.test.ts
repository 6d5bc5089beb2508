import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { beginOutput, temporaryName, writeWholeFile } from "./output-file.ts";

const folder = freshFolder(beforeEach);

test("pieces come to the same bytes as one text, small ones and ones beyond what is written at a time", () => {
  const pieces = ["é", "", "a".repeat(3_000_000), "\n", "字".repeat(700_000), "end"];
  writeWholeFile(folder("pieces"), pieces);
  writeWholeFile(folder("text"), pieces.join(""));
  expect(readFileSync(folder("pieces"), "utf8") === pieces.join("")).toBe(true);
  expect(readFileSync(folder("pieces")).equals(readFileSync(folder("text")))).toBe(true);
});

test("if a piece cannot be made, the file that was there stays, and nothing is left beside it", () => {
  const path = folder("report.json");
  writeWholeFile(path, "before");
  const broken = function* () {
    yield "a".repeat(2_000_000);
    throw new Error("no more");
  };
  expect(() => writeWholeFile(path, broken())).toThrow("no more");
  expect(readdirSync(folder())).toEqual(["report.json"]);
  expect(readFileSync(path, "utf8")).toBe("before");
});

const at = (name: string) => folder(name);

describe("an output destroys nothing", () => {
  test.each<readonly [string, (path: string) => void, string]>([
    ["a link to a file", (path) => symlinkSync(at("target"), path), "it is a link; name"],
    ["a link to nothing", (path) => symlinkSync(at("none"), path), "it is a link; name"],
    ["a link to a device", (path) => symlinkSync("/dev/null", path), "it is a link; name /dev/null itself if it is meant"],
    ["a folder", (path) => mkdirSync(path), "it is a folder"],
    ["a pipe that nobody reads", (path) => void execFileSync("mkfifo", [path]), "ENXIO"],
  ])("in the place of %s", (_what, make, why) => {
    writeFileSync(at("target"), "before");
    make(at("out"));
    const { mode } = lstatSync(at("out"));
    expect(() => writeWholeFile(at("out"), "after")).toThrow(`${at("out")}: cannot be written (${why}`);
    expect(lstatSync(at("out")).mode).toBe(mode);
    expect(readFileSync(at("target"), "utf8")).toBe("before");
    expect(readdirSync(folder()).toSorted()).toEqual(["out", "target"]);
  });

  test("in the place of a socket", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(at("out"), resolve));
    expect(() => writeWholeFile(at("out"), "after")).toThrow("it is a disk or a socket");
    expect(lstatSync(at("out")).isSocket()).toBe(true);
    server.close();
  });

  test("in the place of a pipe that somebody reads: they get it, and the pipe stays", async () => {
    execFileSync("mkfifo", [at("out")]);
    const reader = spawn("sh", ["-c", 'exec 3<>"$1"; echo open; head -c 5 <&3', "sh", at("out")]);
    const said = text(reader.stdout);
    await new Promise((resolve) => reader.stdout.once("readable", resolve));
    writeWholeFile(at("out"), "after");
    expect(await said).toBe("open\nafter");
    expect(lstatSync(at("out")).isFIFO()).toBe(true);
  });

  /** Only the system's owner may make a device. */
  const makesDevices = spawnSync("mknod", [join(tmpdir(), `plimsoll-device-${process.pid}`), "c", "1", "3"]).status === 0;
  rmSync(join(tmpdir(), `plimsoll-device-${process.pid}`), { force: true });

  test.skipIf(!makesDevices)("in the place of a device: it is written to, and stays", () => {
    execFileSync("mknod", [at("out"), "c", "1", "3"]);
    writeWholeFile(at("out"), ["after", "all"]);
    expect(lstatSync(at("out")).isCharacterDevice()).toBe(true);
    expect(() => beginOutput(at("out"))).toThrow("it is a device or a pipe");
    expect(readdirSync(folder())).toEqual(["out"]);
  });

  test("in the place of a name that is not there, in a folder that is not there", () => {
    expect(() => writeWholeFile(at("none/out"), "after")).toThrow(`there is no folder ${at("none")}; make it first`);
  });

  test.each([0o600, 0o640, 0o755])("and keeps the rights %o of a file that is there", (mode) => {
    writeFileSync(at("out"), "before");
    chmodSync(at("out"), mode);
    writeWholeFile(at("out"), "after");
    expect([readFileSync(at("out"), "utf8"), statSync(at("out")).mode & 0o777]).toEqual(["after", mode]);
    const { temporary, commit } = beginOutput(at("out"));
    writeFileSync(temporary, "later");
    commit();
    expect([readFileSync(at("out"), "utf8"), statSync(at("out")).mode & 0o777]).toEqual(["later", mode]);
    expect(readdirSync(folder())).toEqual(["out"]);
  });

  test("a new file may be the owner's alone", () => {
    writeWholeFile(at("out"), "after", 0o600);
    expect(statSync(at("out")).mode & 0o777).toBe(0o600);
  });
});

test("the temporary name is another one each time, and what could be guessed is not touched", () => {
  expect(temporaryName(at("out"))).not.toBe(temporaryName(at("out")));
  symlinkSync(at("target"), at(`out.${process.pid}.tmp`));
  writeWholeFile(at("out"), "after");
  expect(readdirSync(folder()).toSorted()).toEqual(["out", `out.${process.pid}.tmp`]);
  expect(readlinkSync(at(`out.${process.pid}.tmp`))).toBe(at("target"));
});
