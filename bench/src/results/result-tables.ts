import { z } from "zod";
import type { RunMetrics } from "../metrics/registry.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import { rowSchema, sessionSchema } from "./report-json.ts";
import { columnsOfSchema, type ResultColumn } from "./result-columns.ts";

/** The tables of a folder of results, each a folder of Parquet files in it. */
export const RESULT_TABLES = ["sessions", "rows", "calls"] as const;

/** The name of a table. */
export type ResultTable = (typeof RESULT_TABLES)[number];

const WHERE = columnsOfSchema(z.strictObject({ part: z.int(), place: z.int() }));
const CALL = columnsOfSchema(
  z.strictObject({ call: z.int(), promptTokens: z.number(), compactions: z.int(), overflowed: z.boolean() }),
);
const JSON_TEXT = columnsOfSchema(z.strictObject({ json: z.string() }));
/** Fields of a row that each of its calls repeats, so that calls can be read without rows. */
const WITH_CALLS = ["session", "policy", "window_kind", "window_tokens"];

/** The columns of each table of a run with these metrics, in their order. */
export function resultColumns(metrics: RunMetrics): Readonly<Record<ResultTable, readonly ResultColumn[]>> {
  // The figures of a row have their metric's own name, as the tables of the documents have them.
  const ofRow = columnsOfSchema(rowSchema(metrics)).map((column) => ({
    ...column,
    name: column.name.replace(/^metrics_/, ""),
  }));
  return {
    sessions: [...WHERE, ...columnsOfSchema(sessionSchema), ...JSON_TEXT],
    rows: [...WHERE, ...ofRow, ...JSON_TEXT],
    calls: [...WHERE, ...ofRow.filter(({ name }) => WITH_CALLS.includes(name)), ...CALL],
  };
}

/**
 * A part of a run as lines of a table, one after the other. Every line says its part and its place in it, from 0; a call has the place of its row.
 * `json` is the entry as `report.json` has it; a row's has no series, which is its calls.
 */
export function resultLines(report: BenchReport, table: ResultTable): Iterable<object> {
  const part = report.shard?.index ?? 1;
  switch (table) {
    case "sessions":
      return entryLines<object>(part, report.sessions, (entry) => entry);
    case "rows":
      return entryLines(part, report.rows, (row) => ({ ...row, series: [] }));
    case "calls":
      return callLines(part, report.rows);
    default:
      return table satisfies never;
  }
}

function* entryLines<Entry extends object>(part: number, entries: readonly Entry[], told: (entry: Entry) => object) {
  for (const [place, entry] of entries.entries()) {
    const line = told(entry);
    yield { ...line, part, place, json: JSON.stringify(line) };
  }
}

function* callLines(part: number, rows: readonly ReplayRow[]) {
  for (const [place, { session, policy, window, series }] of rows.entries())
    for (const point of series) yield { part, place, session, policy, window, ...point };
}
