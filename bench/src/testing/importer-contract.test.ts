import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { storedZstd } from "@plimsoll/providers/testing";
import { describe, expect, test } from "vitest";
import { IMPORTER_SUBJECTS } from "../../testing/importer-subjects.ts";
import { textSource } from "../formats/file-source.ts";
import { openCodeStorageImporter } from "../formats/opencode/importer.ts";
import { IMPORTERS, importFile, importSource } from "../formats/registry.ts";
import { IMPORTER_CONTRACT } from "./importer-contract.ts";

describe.each(IMPORTER_SUBJECTS.map((subject) => [subject.importer.description, subject] as const))("%s", (_, subject) => {
  test.each(IMPORTER_CONTRACT.map(({ rule, run }) => [rule, run] as const))("%s", async (_rule, run) => {
    await run(async () => subject);
  });
});

test("every built-in importer has a subject", () => {
  const subjects = new Set(IMPORTER_SUBJECTS.map(({ importer }) => importer));
  expect(IMPORTERS.filter((importer) => !subjects.has(importer)).map(({ description }) => description)).toEqual([]);
});

// OpenCode's messages are files of their own: its tests write them.
const WHOLE = IMPORTER_SUBJECTS.filter(({ importer }) => importer !== openCodeStorageImporter);

test.each(WHOLE.map(({ importer, text }) => [importer.description, importer.format, text] as const))(
  "%s: its session is read by no other importer, with the call and its result",
  async (_, format, text) => {
    const [transcript] = await importSource(textSource(text, "given"));
    const roles = transcript?.entries.flatMap((entry) => (entry.type === "message" ? [entry.message.role] : []));
    expect([transcript?.format, roles?.slice(0, 3)]).toEqual([format, ["user", "assistant", "tool-result"]]);
  },
);

test.each(WHOLE.map(({ importer, text }) => [importer.description, text] as const))(
  "%s: its session is the same packed with gzip or zstd, and in UTF-16 of both byte orders",
  async (_, text) => {
    const marked = Buffer.from(`\uFEFF${text}`, "utf16le");
    const folder = mkdtempSync(join(tmpdir(), "plimsoll-packed-"));
    const path = join(folder, "given");
    const read = async (bytes: Buffer | string) => {
      writeFileSync(path, bytes);
      const transcripts = await importFile(path, "given");
      return transcripts.map((each) => ({ ...each, notes: each.notes.filter(({ code }) => code !== "encoding") }));
    };
    const plain = await read(text);
    for (const bytes of [gzipSync(text), storedZstd(text), marked, Buffer.from(marked).swap16()])
      expect(await read(bytes)).toEqual(plain);
    rmSync(folder, { recursive: true });
  },
);

test("a rule that does not hold is told", async () => {
  const [subject] = IMPORTER_SUBJECTS;
  const [rule] = IMPORTER_CONTRACT;
  const deaf = subject && { ...subject, importer: { ...subject.importer, recognises: () => false } };
  await expect(rule?.run(async () => deaf ?? Promise.reject(new Error("no subject")))).rejects.toThrow(
    "recognised: false, false",
  );
});
