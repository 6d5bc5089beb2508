import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { fileWriter, parquetWriteRows } from "hyparquet-writer";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { METRICS } from "../metrics/registry.ts";
import { mergeReports } from "../replay/merge-reports.ts";
import type { BenchReport } from "../results.ts";
import { renderJsonReport } from "../show/json.ts";
import { checkResultFolder } from "./check-result-folder.ts";
import { readParts } from "./read-parts.ts";
import { isReport } from "./report-json.ts";
import { partsThere, tableFile } from "./result-folder.ts";
import { RESULT_TABLES, resultColumns, resultLines } from "./result-tables.ts";
import { writePart } from "./write-part.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-results-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const SESSIONS = ["sessions/first.jsonl", "b.jsonl", "c.jsonl", "d.jsonl", "e.jsonl"];
const whole = exampleReport({ sessions: SESSIONS, calls: 6 });

/** Makes the results of a run of one part. */
function partOf(report: BenchReport, index: number, count: number): BenchReport {
  const own = new Set(report.inputs.filter((_, place) => place % count === index - 1));
  return {
    ...report,
    shard: { index, count },
    sessions: report.sessions.filter(({ file }) => own.has(file)),
    rows: report.rows.filter(({ session }) => own.has(session)),
    skipped: report.skipped,
    notes: report.notes.filter(({ file }) => own.has(file)),
  };
}

async function readBack(): Promise<readonly { readonly name: string; readonly report: BenchReport }[]> {
  const parts = await readParts(folder);
  return parts.flatMap(({ name, content }) => (isReport(content, METRICS) ? [{ name, report: content }] : []));
}

describe("a folder of results", () => {
  test("gives the bytes of the report that was written to it", async () => {
    await writePart(folder, whole, METRICS);
    expect(renderJsonReport(mergeReports(await readBack()))).toBe(renderJsonReport(whole));
  });

  test.each([2, 3, 7])("gives the bytes of one run from %i parts, in whatever order they came", async (count) => {
    for (let index = count; index > 0; index -= 1) await writePart(folder, partOf(whole, index, count), METRICS);
    expect(renderJsonReport(mergeReports(await readBack()))).toBe(renderJsonReport(whole));
  });

  test("is written a row at a time", () => {
    const { rows } = whole;
    expect(rows.length).toBeGreaterThan(1);
    const looks: string[] = [];
    const watched = rows.map((row, place) => {
      const look = () => {
        looks.push(`${place}`);
        return row.series;
      };
      return Object.defineProperty({ ...row }, "series", { enumerable: true, get: look });
    });
    const lines = resultLines({ ...whole, rows: watched }, "calls")[Symbol.iterator]();
    expect(lines.next().value).toMatchObject({ place: 0, call: 0 });
    expect(looks).toEqual(["0"]);
  });

  /** Writes the table of calls again. */
  async function rewriteCalls(changed: (lines: readonly Record<string, unknown>[]) => readonly Record<string, unknown>[]) {
    const path = tableFile(folder, "calls", { index: 1, count: 1 });
    const lines = await parquetReadObjects({ file: Uint8Array.from(readFileSync(path)).buffer });
    const columns = resultColumns(METRICS).calls.map(({ name, type }) => ({ name, type }));
    parquetWriteRows({ writer: fileWriter(path), columns, rows: [...changed(lines)] });
  }

  test("may have its calls in any order", async () => {
    await writePart(folder, whole, METRICS);
    await rewriteCalls((lines) => lines.toReversed());
    expect(renderJsonReport(mergeReports(await readBack()))).toBe(renderJsonReport(whole));
  });

  test("has no call of a row that is not there", async () => {
    await writePart(folder, whole, METRICS);
    await rewriteCalls((lines) => [{ ...lines[0], place: 9_999n }, ...lines]);
    await expect(readParts(folder)).rejects.toThrow(
      "part-00001-of-00001 cannot be read (calls of row 9999, which is not there); run it again",
    );
  });

  test.each(["promptTokens", "overflowed"])("has no call without %s", async (field) => {
    await writePart(folder, whole, METRICS);
    await rewriteCalls((lines) => [{ ...lines[0], [field]: null }, ...lines.slice(1)]);
    await expect(readParts(folder)).rejects.toThrow(/cannot be read \(a call of row 0 lacks a figure\); run it again$/);
  });

  test("misses no call that the figures of a row count", async () => {
    const counted: BenchReport = {
      ...whole,
      rows: whole.rows.map((row) => {
        const { metrics, series } = row;
        return metrics === null
          ? row
          : { ...row, metrics: { ...metrics, safety: { ...metrics.safety, calls: series.length } } };
      }),
    };
    await writePart(folder, counted, METRICS);
    expect(await readParts(folder)).toHaveLength(1);
    await rewriteCalls((lines) => lines.slice(1));
    await expect(readParts(folder)).rejects.toThrow(/cannot be read \(5 calls of row 0, which has 6\); run it again$/);
  });

  test("says nothing of its place if a line cannot be made", async () => {
    const [row] = whole.rows;
    if (row === undefined) throw new Error("no row");
    const half: BenchReport = {
      ...whole,
      rows: [{ ...row, series: [{ call: 0.5, promptTokens: 1, compactions: 0, overflowed: false }] }],
    };
    await expect(writePart(folder, half, METRICS)).rejects.toThrow(RangeError);
    expect(readdirSync(join(folder, "calls"))).toEqual([]);
  });

  test("holds a part once, however often it was run", async () => {
    for (const index of [1, 2, 1]) await writePart(folder, partOf(whole, index, 2), METRICS);
    expect(renderJsonReport(mergeReports(await readBack()))).toBe(renderJsonReport(whole));
    expect(readdirSync(join(folder, "rows"))).toEqual(["part-00001-of-00002.parquet", "part-00002-of-00002.parquet"]);
  });

  test("has no part whose last file is not there", async () => {
    await writePart(folder, partOf(whole, 1, 2), METRICS);
    await writePart(folder, partOf(whole, 2, 2), METRICS);
    rmSync(join(folder, "parts/part-00002-of-00002.json"));
    expect(await partsThere(folder)).toEqual({ count: 2, there: [1] });
    await expect(readParts(folder)).rejects.toThrow(`${folder}: missing: part 2/2`);
  });

  test("is not shared by runs in other numbers of parts", async () => {
    await writePart(folder, partOf(whole, 1, 2), METRICS);
    await expect(writePart(folder, partOf(whole, 1, 3), METRICS)).rejects.toThrow(
      `${folder}: holds a run in 2 parts, and this is one in 3; give another folder`,
    );
  });

  const other = (changed: Partial<BenchReport>): BenchReport => ({ ...whole, ...changed });
  const fewer = whole.policies.slice(1);
  test.each([
    ["policies, in the same part", [1], 1, other({ policies: fewer }), "part 1/2 of a run with other policies"],
    ["policies, in another part", [1], 2, other({ policies: fewer }), "part 1/2 of a run with other policies"],
    ["windows", [1, 2], 2, other({ windows: [{ kind: "real" }] }), "part 2/2 of a run with other windows"],
    ["files", [1], 1, other({ inputs: ["z.jsonl", "b.jsonl"] }), "part 1/2 of a run with other files"],
    ["files of other parts alone", [1], 1, other({ inputs: whole.inputs.with(1, "z.jsonl") }), "of a run with other files"],
    ["summaries", [1], 1, other({ summarizer: "recorded" }), "part 1/2 of a run with other summaries"],
    ["versions", [1], 1, other({ plimsollVersion: "9.0.0" }), "part 1/2 of a run with other versions"],
    [
      "policies and versions",
      [1],
      1,
      other({ policies: fewer, plimsollVersion: "9.0.0" }),
      "part 1/2 of a run with other policies and versions",
    ],
  ])("is not shared by runs with other %s", async (_, there, index, report, line) => {
    for (const each of there) await writePart(folder, partOf(whole, each, 2), METRICS);
    const told = new RegExp(`^\\S+: holds .*${line}; give another folder, or remove this one$`);
    await expect(checkResultFolder(folder, { ...report, shard: { index, count: 2 } })).rejects.toThrow(told);
    await expect(writePart(folder, partOf(report, index, 2), METRICS)).rejects.toThrow(told);
  });

  test("takes a whole run again, but not another one", async () => {
    for (const report of [whole, whole]) await writePart(folder, report, METRICS);
    await expect(checkResultFolder(folder, other({ policies: fewer }))).rejects.toThrow(
      `${folder}: holds a run with other policies; give another folder, or remove this one`,
    );
  });

  test.each([[[1]], [[1, 2]]])("takes the run's own part again if files of parts %j are damaged", async (damaged) => {
    for (const index of [1, 2]) await writePart(folder, partOf(whole, index, 2), METRICS);
    for (const index of damaged) writeFileSync(join(folder, `parts/part-0000${index}-of-00002.json`), "{");
    for (const index of damaged) await writePart(folder, partOf(whole, index, 2), METRICS);
    expect(renderJsonReport(mergeReports(await readBack()))).toBe(renderJsonReport(whole));
  });

  test.each([
    ["is a file", "file", /^\S+file: is a file; give another folder$/],
    ["is below a file", "file/results", /^\S+file\/results: cannot be made, since \S+file is a file; give another folder$/],
    ["has a file where a table goes", "folder", /rows: cannot be written \(.*\)$/],
  ])("cannot be written to in one line if it %s", async (_, place, line) => {
    writeFileSync(join(folder, "file"), "{}");
    mkdirSync(join(folder, "folder"));
    writeFileSync(join(folder, "folder/rows"), "");
    await expect(writePart(join(folder, place), whole, METRICS)).rejects.toThrow(line);
  });

  const device = (path: string) => symlinkSync("/dev/zero", path);
  const large = (path: string) => {
    writeFileSync(path, "");
    truncateSync(path, 2 ** 34);
  };
  test.each<[string, string, (path: string) => void]>([
    ["larger than any that is written", "rows", large],
    ["larger than any that is written", "parts", large],
    ["a device", "rows", device],
    ["a device", "parts", device],
  ])("is not read where a file is %s (%s)", async (_, place, spoil) => {
    await writePart(folder, whole, METRICS);
    const path = join(folder, place, `part-00001-of-00001.${place === "parts" ? "json" : "parquet"}`);
    rmSync(path);
    spoil(path);
    await expect(readParts(folder)).rejects.toThrow(/cannot be read \(is (?:too large|no regular file)\); run it again$/);
  });

  test.each(["file", "file/results"])("is refused before anything is replayed if it is %s", async (place) => {
    writeFileSync(join(folder, "file"), "{}");
    await expect(checkResultFolder(join(folder, place), whole)).rejects.toThrow("is a file; give another folder");
    expect(readdirSync(folder)).toEqual(["file"]);
  });

  test.each([
    ["holds nothing", () => undefined, "no results; give a folder that plimsoll bench --out wrote"],
    [
      "has parts of two runs",
      () => {
        mkdirSync(join(folder, "parts"));
        for (const count of ["00002", "00003"]) writeFileSync(join(folder, `parts/part-00001-of-${count}.json`), "{}");
      },
      "holds parts of runs in 2 and in 3 parts",
    ],
  ])("says so if it %s", async (_, make, line) => {
    make();
    await expect(readParts(folder)).rejects.toThrow(line);
  });

  test.each([
    ["a table", () => tableFile(folder, "rows", { index: 1, count: 1 }), () => readParts(folder)],
    ["what it says of itself", () => join(folder, "parts/part-00001-of-00001.json"), () => readParts(folder)],
  ])("says which part is damaged: %s", async (_, file, read) => {
    await writePart(folder, whole, METRICS);
    writeFileSync(file(), "PAR1 no more");
    await expect(read()).rejects.toThrow(/^[^\n]*: part-00001-of-00001 cannot be read \([^\n]*\); run it again$/);
  });
});

describe("the columns", () => {
  test("are the same for a part without a session", async () => {
    const parts = [exampleReport({ sessions: [] }), whole];
    const [empty, full] = parts.map(() => resultColumns(METRICS));
    expect(empty?.rows.map(({ name }) => name)).toEqual(full?.rows.map(({ name }) => name));
    await writePart(folder, exampleReport({ sessions: [] }), METRICS);
    expect(await readBack()).toHaveLength(1);
  });

  test("stand in docs/bench-and-tune.md; of the figures of metrics the rule", () => {
    const page = readFileSync(new URL("../../../docs/bench-and-tune.md", import.meta.url), "utf8");
    const metrics = METRICS.map(({ id }) => `${id}_`);
    const columns = resultColumns(METRICS);
    for (const table of RESULT_TABLES) {
      const names = columns[table].map(({ name }) => name).filter((name) => !metrics.some((id) => name.startsWith(id)));
      const [line = ""] = page.split("\n").filter((each) => each.startsWith(`| \`${table}\` |`));
      expect(names.filter((name) => !line.includes(`\`${name}\``))).toEqual([]);
    }
  });

  test("have each name once, and every figure of a metric that is one number", () => {
    const columns = resultColumns(METRICS);
    for (const table of RESULT_TABLES) {
      const names = columns[table].map(({ name }) => name.toLowerCase());
      expect(new Set(names).size).toBe(names.length);
    }
    const rows = columns.rows.map(({ name, type }) => `${name} ${type}`);
    expect(rows).toEqual(
      expect.arrayContaining([
        "policy STRING",
        "window_tokens DOUBLE",
        "safety_calls INT64",
        "cost_withCacheUsd DOUBLE",
        "why STRING",
        "json STRING",
      ]),
    );
  });
});
