import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeWholeFile } from "./write-file.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-write-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test("pieces come to the same bytes as one text, small ones and ones beyond what is written at a time", () => {
  const pieces = ["é", "", "a".repeat(3_000_000), "\n", "字".repeat(700_000), "end"];
  writeWholeFile(join(folder, "pieces"), pieces);
  writeWholeFile(join(folder, "text"), pieces.join(""));
  expect(readFileSync(join(folder, "pieces"), "utf8") === pieces.join("")).toBe(true);
  expect(readFileSync(join(folder, "pieces")).equals(readFileSync(join(folder, "text")))).toBe(true);
});

test("if a piece cannot be made, the file that was there stays, and nothing is left beside it", () => {
  const path = join(folder, "report.json");
  writeWholeFile(path, "before");
  const broken = function* () {
    yield "a".repeat(2_000_000);
    throw new Error("no more");
  };
  expect(() => writeWholeFile(path, broken())).toThrow("no more");
  expect(readdirSync(folder)).toEqual(["report.json"]);
  expect(readFileSync(path, "utf8")).toBe("before");
});
