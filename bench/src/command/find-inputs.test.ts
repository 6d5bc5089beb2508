import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { findInputs } from "./find-inputs.ts";

const SESSION = join(import.meta.dirname, "../../../fixtures/sessions/bug-hunt.jsonl");

const folder = freshFolder(beforeEach);
beforeEach(() => {
  for (const name of ["logs", "elsewhere"]) mkdirSync(folder(name));
  copyFileSync(SESSION, folder("elsewhere/log.jsonl"));
});

test("a folder's links lead to regular files alone, and to no other folder", async () => {
  const at = (name: string) => folder("logs", name);
  copyFileSync(folder("elsewhere/log.jsonl"), at("own.jsonl"));
  symlinkSync("../elsewhere/log.jsonl", at("linked.jsonl"));
  symlinkSync("../elsewhere", at("folder"));
  symlinkSync(".", at("round"));
  symlinkSync("/dev/zero", at("zero.jsonl"));
  symlinkSync("none", at("nothing.jsonl"));
  execFileSync("mkfifo", [at("pipe.jsonl")]);
  symlinkSync("logs", folder("named"));
  for (const given of ["logs", "named"]) {
    const { files, missing, notSessions } = await findInputs([given], folder());
    expect(files.map(({ displayName }) => displayName)).toEqual([`${given}/linked.jsonl`, `${given}/own.jsonl`]);
    expect(missing).toEqual([]);
    expect(notSessions.every(({ file }) => !file.includes("log.jsonl"))).toBe(true);
  }
  const { files } = await findInputs(["logs/**/*.jsonl"], folder());
  expect(files.map(({ displayName }) => displayName)).toEqual(["logs/own.jsonl"]);
});

test("a file of a folder that no importer reads is named by its agent, if that is known", async () => {
  copyFileSync(join(import.meta.dirname, "../../testing/forms/07-refuse-grok.jsonl"), folder("logs/chat.jsonl"));
  writeFileSync(folder("logs/data.jsonl"), '{"x":1}\n');
  expect((await findInputs(["logs"], folder())).notSessions).toEqual([
    { file: "logs/chat.jsonl", reason: "Grok Build's chat history: no importer reads it" },
    { file: "logs/data.jsonl", reason: "no importer reads it" },
  ]);
});
