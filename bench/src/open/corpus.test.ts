import { writeFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { madeTranscript } from "../../testing/made-session.ts";
import { IMPORTERS } from "../formats/registry.ts";
import { createOpener, type InputFile } from "./corpus.ts";

const folder = freshFolder(beforeEach);

function file(name: string, turns: number): InputFile {
  const { entries } = madeTranscript({ turns, toolCallsPerTurn: 2, resultChars: 500, overheadTokens: 1000 }, name);
  const path = folder(name);
  writeFileSync(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  return { path, displayName: name };
}

test.each([
  ["as much as is kept", 1_000_000, 2],
  ["more than is kept, but for the newest", 1, 4],
])("a file is imported and prepared once while it is open: %s", async (_, keptBytes, count) => {
  const opener = createOpener(IMPORTERS, keptBytes);
  const files = [file("a.jsonl", 2), file("b.jsonl", 3)];
  for (const each of [...files, ...files]) {
    const opened = await opener.open(each);
    expect(opened.sessions()).toBe(opened.sessions());
    expect((await opener.open(each)).transcripts).toBe(opened.transcripts);
  }
  expect(opener.counts()).toEqual({ imports: count, preparations: count });
});

test("a file is known by what it is made of, and one that cannot be read says so", async () => {
  const [one, empty, other] = [file("a.jsonl", 2), file("b.jsonl", 2), file("c.jsonl", 3)];
  writeFileSync(empty.path, "");
  const sourceOf = async (each: InputFile) => (await createOpener(IMPORTERS).open(each)).source;
  expect(await sourceOf(one)).toBe(await sourceOf({ ...one, displayName: "named otherwise" }));
  expect(await sourceOf(one)).not.toBe(await sourceOf(other));
  await expect(sourceOf(empty)).rejects.toThrow("b.jsonl: the file is empty");
});
