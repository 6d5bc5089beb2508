import { readFile } from "node:fs/promises";
import { PlimsollError } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/internal";
import type { Shard } from "../results.ts";
import { aboutPart, nameOf, type PartsThere, partsThere, tableFile, unreadablePart } from "./result-folder.ts";
import type { ResultTable } from "./result-tables.ts";

/** Throws `bad-input` if the parts that are there are of different runs. */
export async function checkOneRun(folder: string, { count, there }: PartsThere): Promise<void> {
  const runs = new Map<string, number>();
  for (const index of there) runs.set(String((await aboutPart(folder, { index, count })).run), index);
  const [first, second] = [...runs.values()];
  if (second !== undefined) {
    throw new PlimsollError(
      "bad-input",
      `${folder}: part ${second}/${count} is not of the same run as part ${first}/${count}: files, policies, windows or versions differ; run all parts again, or in a folder of their own`,
    );
  }
}

/** The reports of all parts, as values that nobody has checked. Throws `bad-input` if there is none, or a file of one cannot be read. */
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
  return parts.map(({ name, rest: { run: _, ...rest }, entries }) => ({
    name,
    content: { ...rest, inputs, ...entries },
  }));
}

async function readPart(folder: string, shard: Shard) {
  const rest = await aboutPart(folder, shard);
  try {
    const [sessions, rows, calibration] = [
      await entriesOf(folder, "sessions", shard),
      await entriesOf(folder, "rows", shard),
      await entriesOf(folder, "calibration", shard),
    ];
    const series: object[][] = rows.map(() => []);
    for (const { place, call, promptTokens, compactions, overflowed } of await linesOf(folder, "calls", shard)) {
      series[Number(place)]?.push({ call: Number(call), promptTokens, compactions: Number(compactions), overflowed });
    }
    // The series keeps the place that it has among the fields.
    const whole = rows.map((row, place) => ({ ...row, series: series[place] ?? [] }));
    return { name: nameOf(shard), rest, entries: { sessions, rows: whole, calibration } };
  } catch (cause) {
    throw unreadablePart(folder, shard, cause);
  }
}

async function entriesOf(folder: string, table: ResultTable, shard: Shard): Promise<readonly object[]> {
  const lines = await linesOf(folder, table, shard);
  return lines.map(({ json }) => {
    const entry: unknown = JSON.parse(String(json));
    return isRecord(entry) ? entry : {};
  });
}

async function linesOf(folder: string, table: ResultTable, shard: Shard): Promise<readonly Record<string, unknown>[]> {
  const { parquetReadObjects } = await import("hyparquet");
  const bytes = await readFile(tableFile(folder, table, shard));
  const columns = table === "calls" ? ["place", "call", "promptTokens", "compactions", "overflowed"] : ["json"];
  return parquetReadObjects({ file: Uint8Array.from(bytes).buffer, columns });
}

/** Parts take every so-manieth file. */
function interleaved(lists: readonly (readonly unknown[])[]): readonly unknown[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, place) =>
    lists.flatMap((list) => (place < list.length ? [list[place]] : [])),
  ).flat();
}
