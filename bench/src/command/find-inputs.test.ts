import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { findInputs } from "./find-inputs.ts";

const SESSION = join(import.meta.dirname, "../../../fixtures/sessions/bug-hunt.jsonl");

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-inputs-"));
  for (const name of ["logs", "elsewhere"]) mkdirSync(join(folder, name));
  copyFileSync(SESSION, join(folder, "elsewhere/log.jsonl"));
});

test("a folder's links lead to regular files alone, and to no other folder", async () => {
  const at = (name: string) => join(folder, "logs", name);
  copyFileSync(join(folder, "elsewhere/log.jsonl"), at("own.jsonl"));
  symlinkSync("../elsewhere/log.jsonl", at("linked.jsonl"));
  symlinkSync("../elsewhere", at("folder"));
  symlinkSync(".", at("round"));
  symlinkSync("/dev/zero", at("zero.jsonl"));
  symlinkSync("none", at("nothing.jsonl"));
  execFileSync("mkfifo", [at("pipe.jsonl")]);
  symlinkSync("logs", join(folder, "named"));
  for (const given of ["logs", "named"]) {
    const { files, missing, notSessions } = await findInputs([given], folder);
    expect(files.map(({ displayName }) => displayName)).toEqual([`${given}/linked.jsonl`, `${given}/own.jsonl`]);
    expect(missing).toEqual([]);
    expect(notSessions.every((name) => !name.includes("log.jsonl"))).toBe(true);
  }
  const { files } = await findInputs(["logs/**/*.jsonl"], folder);
  expect(files.map(({ displayName }) => displayName)).toEqual(["logs/own.jsonl"]);
});
