import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { IMPORTER_SUBJECTS } from "../../testing/importer-subjects.ts";
import { markdownTable } from "../report/markdown-table.ts";
import { seenCounts } from "../run/describe-session.ts";
import { textSource } from "./file-source.ts";
import { IMPORTER_CONTRACT } from "./importer-contract.ts";
import { openCodeStorageImporter } from "./opencode/importer.ts";
import { IMPORTERS, importSource } from "./registry.ts";

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

const SEEN = ["files", "edits", "plans", "reasoning", "usage", "cacheReads", "cacheWrites", "costs"] as const;

test("docs/benchmark.md says what each format lets measures see, as its session shows", async () => {
  const rows = new Map<string, readonly string[]>();
  for (const { importer, text } of WHOLE) {
    const transcripts = await importer.read(textSource(text, "given"));
    const seen = seenCounts(transcripts.flatMap(({ entries }) => entries));
    rows.set(
      importer.format,
      SEEN.map((key) => (seen[key] > 0 ? "yes" : "–")),
    );
  }
  const head = ["format", "files", "edits", "plans", "reasoning", "prompt sizes", "cache reads", "cache writes", "prices"];
  const table = markdownTable({ head, rows: [...rows].map(([format, cells]) => [`\`${format}\``, ...cells]) });
  expect(await readFile(new URL("../../../docs/benchmark.md", import.meta.url), "utf8")).toContain(table);
});

test("a rule that does not hold is told", async () => {
  const [subject] = IMPORTER_SUBJECTS;
  const [rule] = IMPORTER_CONTRACT;
  const deaf = subject && { ...subject, importer: { ...subject.importer, recognises: () => false } };
  await expect(rule?.run(async () => deaf ?? Promise.reject(new Error("no subject")))).rejects.toThrow(
    "recognised: false, false",
  );
});
