import { PlimsollError } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import type { CallPoint, Shard } from "../results.ts";
import { aboutPart, nameOf, partsThere, readPartFile, tableFile, unreadablePart } from "./result-folder.ts";
import type { ResultTable } from "./result-tables.ts";

/** Reads the reports of all parts in a folder; `content` is unchecked. Throws `bad-input` if there is none, one is missing, or a file cannot be read. */
export async function readParts(folder: string): Promise<readonly { readonly name: string; readonly content: unknown }[]> {
  const { count, there } = await partsThere(folder);
  if (count === 0) throw new PlimsollError("bad-input", `${folder}: no results; give a folder that plimsoll bench --out wrote`);
  const missing = Array.from({ length: count }, (_, place) => place + 1).filter((index) => !there.includes(index));
  if (missing.length > 0) {
    const named = missing.map((index) => `part ${index}/${count}`);
    throw new PlimsollError("bad-input", `${folder}: missing: ${named.join(", ")}; run them with --shard and --out`);
  }
  const parts = [];
  for (const index of there) parts.push(await readPart(folder, { index, count }));
  const inputs = interleaved(parts.map(({ rest }) => (Array.isArray(rest.inputs) ? rest.inputs : [])));
  return parts.map(({ name, rest: { run: _, ...rest }, entries }) => ({ name, content: { ...rest, inputs, ...entries } }));
}

async function readPart(folder: string, shard: Shard) {
  const rest = await aboutPart(folder, shard);
  try {
    const [sessions, rows] = [await inOrder(entriesOf(folder, "sessions", shard)), await inOrder(rowsOf(folder, shard))];
    return { name: nameOf(shard), rest, entries: { sessions, rows } };
  } catch (cause) {
    throw unreadablePart(folder, shard, cause);
  }
}

type Entry = Readonly<Record<string, unknown>>;

async function inOrder(entries: AsyncIterable<Entry>): Promise<readonly Entry[]> {
  const all: Entry[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

/** Rows with their series, which is a table of its own. */
async function* rowsOf(folder: string, shard: Shard): AsyncGenerator<Entry, void, void> {
  const calls = await callsByRow(folder, shard);
  let place = 0;
  for await (const row of entriesOf(folder, "rows", shard)) {
    // The series keeps the place that it has among the fields.
    const series = seriesOf(calls.get(place) ?? []);
    const told = callCountOf(row);
    if (told !== null && told !== series.length) throw new Error(`${series.length} calls of row ${place}, which has ${told}`);
    yield { ...row, series };
    calls.delete(place);
    place += 1;
  }
  const [stray] = calls.keys();
  if (stray !== undefined) throw new Error(`calls of row ${stray}, which is not there`);
}

/** How many calls a row has, as its figures say; `null` if they do not. */
function callCountOf({ metrics }: Entry): number | null {
  const safety = isRecord(metrics) ? metrics.safety : null;
  const calls = isRecord(safety) ? safety.calls : null;
  return typeof calls === "number" ? calls : null;
}

/** The numbers of each call, by row: tables that were written again may have another order. */
async function callsByRow(folder: string, shard: Shard): Promise<Map<number, number[]>> {
  const calls = new Map<number, number[]>();
  for await (const { place, call, promptTokens, compactions, overflowed } of linesOf(folder, "calls", shard)) {
    if (typeof promptTokens !== "number" || typeof overflowed !== "boolean")
      throw new Error(`a call of row ${place} lacks a figure`);
    const numbers = calls.get(Number(place)) ?? [];
    numbers.push(Number(call), promptTokens, Number(compactions), Number(overflowed));
    calls.set(Number(place), numbers);
  }
  return calls;
}

const CALL_NUMBERS = 4;

/** In order of the calls. */
function seriesOf(numbers: readonly number[]): readonly CallPoint[] {
  const series: CallPoint[] = [];
  for (let at = 0; at < numbers.length; at += CALL_NUMBERS) {
    const [call = 0, promptTokens = 0, compactions = 0, overflowed = 0] = numbers.slice(at, at + CALL_NUMBERS);
    series.push({ call, promptTokens, compactions, overflowed: overflowed === 1 });
  }
  return series.sort((a, b) => a.call - b.call);
}

async function* entriesOf(folder: string, table: ResultTable, shard: Shard): AsyncGenerator<Entry, void, void> {
  for await (const { json } of linesOf(folder, table, shard)) {
    const entry: unknown = JSON.parse(String(json));
    yield isRecord(entry) ? entry : {};
  }
}

/** Lines in their order, a group of the file at a time. */
async function* linesOf(folder: string, table: ResultTable, shard: Shard): AsyncGenerator<Entry, void, void> {
  const { parquetMetadata, parquetReadObjects } = await import("hyparquet");
  const file = Uint8Array.from(readPartFile(tableFile(folder, table, shard))).buffer;
  const metadata = parquetMetadata(file);
  const columns = table === "calls" ? ["place", "call", "promptTokens", "compactions", "overflowed"] : ["json"];
  let rowStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    yield* await parquetReadObjects({ file, metadata, columns, rowStart, rowEnd });
    rowStart = rowEnd;
  }
}

/** Parts take every so-manieth file. */
function interleaved(lists: readonly (readonly unknown[])[]): readonly unknown[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) =>
    lists.flatMap((list) => (place < list.length ? [list[place]] : [])),
  ).flat();
}
