import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { writeCorpus } from "./write-corpus.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-write-corpus-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a corpus goes round its sources until it has its bytes", () => {
  const sources = ["a.jsonl", "b.json"].map((name) => join(folder, name));
  for (const source of sources) writeFileSync(source, "x".repeat(1_000_000));
  const place = mkdtempSync(join(folder, "corpus-"));
  const made = writeCorpus({ sources, leastBytes: 25e5, place });
  expect(made).toEqual({ sessions: 3, bytes: 3_000_000 });
  expect(readdirSync(place).toSorted()).toEqual(["0.jsonl", "1.json", "2.jsonl"]);
});
