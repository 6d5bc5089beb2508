import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { parquetReadObjects } from "hyparquet";
import { beforeEach, describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { METRICS } from "../metrics/registry.ts";
import { renderJsonReport } from "../show/json.ts";
import { checkParquetFolder, tableFile, writeParquet } from "./parquet.ts";
import { RESULT_TABLES, type ResultTable, resultColumns, resultLines } from "./result-tables.ts";

const folder = freshFolder(beforeEach);

const whole = exampleReport({ sessions: ["sessions/first.jsonl", "b.jsonl", "c.jsonl"], calls: 6 });

async function linesOf(table: ResultTable) {
  const bytes = readFileSync(tableFile(folder(), table, null));
  return await parquetReadObjects({ file: Uint8Array.from(bytes).buffer });
}

describe("the Parquet of a run", () => {
  test("says what its JSON says: sessions, rows and calls", async () => {
    await writeParquet(folder(), whole, METRICS);
    const { sessions, rows } = JSON.parse(renderJsonReport(whole));
    expect((await linesOf("sessions")).map(({ json }) => JSON.parse(String(json)))).toEqual(sessions);
    const calls = await linesOf("calls");
    const told = (await linesOf("rows")).map(({ json, place, cost_withCacheUsd }) => {
      const own = calls.filter((call) => call.place === place);
      const series = own.map(({ call, promptTokens, compactions, overflowed }) => ({
        ...{ call: Number(call), promptTokens, compactions: Number(compactions), overflowed },
      }));
      return { row: { ...JSON.parse(String(json)), series }, usd: cost_withCacheUsd };
    });
    expect(told.map(({ row }) => row)).toEqual(rows);
    expect(told.map(({ usd }) => usd)).toEqual(whole.rows.map(({ metrics }) => metrics?.cost.withCacheUsd ?? null));
  });

  test("is written a row at a time", () => {
    const looks: string[] = [];
    const watched = whole.rows.map((row, place) => {
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

  test.each(["file", "file/results"])("is refused before anything is replayed if its folder is %s", async (place) => {
    writeFileSync(folder("file"), "{}");
    await expect(checkParquetFolder(folder(place), null)).rejects.toThrow("is a file; give another folder");
    expect(readdirSync(folder())).toEqual(["file"]);
  });

  test("is refused a folder that has a run in another number of parts", async () => {
    mkdirSync(folder("rows"));
    writeFileSync(folder("rows/part-00001-of-00003.parquet"), "");
    await expect(checkParquetFolder(folder(), null)).rejects.toThrow("holds a run in 3 parts; give another folder");
    await expect(checkParquetFolder(folder(), { index: 2, count: 3 })).resolves.toBeUndefined();
  });
});

describe("the columns", () => {
  test("have each name once, and every figure of a metric that is one number", () => {
    const columns = resultColumns(METRICS);
    for (const table of RESULT_TABLES) {
      const names = columns[table].map(({ name }) => name.toLowerCase());
      expect(new Set(names).size).toBe(names.length);
    }
    const rows = columns.rows.map(({ name, type }) => `${name} ${type}`);
    expect(rows).toEqual(
      expect.arrayContaining(["policy STRING", "window_tokens DOUBLE", "safety_calls INT64", "cost_withCacheUsd DOUBLE"]),
    );
  });
});

test("a table's folder that is a link is not written to: nobody named where it leads", async () => {
  mkdirSync(folder("elsewhere"));
  symlinkSync(folder("elsewhere"), folder("sessions"));
  await expect(writeParquet(folder(), exampleReport(), METRICS)).rejects.toThrow("it is a link to ");
  expect(readdirSync(folder("elsewhere"))).toEqual([]);
});
