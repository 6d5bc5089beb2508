import { lstatSync, readlinkSync } from "node:fs";
import { access, constants, mkdir, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PlimsollError } from "@plimsoll/core";
import { beginOutput } from "@plimsoll/stores";
import type { RunMetrics } from "../metrics/registry.ts";
import type { BenchReport, Shard } from "../results.ts";
import type { ResultColumn } from "./result-columns.ts";
import { RESULT_TABLES, type ResultTable, resultColumns, resultLines } from "./result-tables.ts";

/**
 * Writes the tables of a run, or of its part, as Parquet: a file a table and part, each under another name first, so that no reader sees half of it. Throws
 * `bad-input` as {@link checkParquetFolder} does.
 */
export async function writeParquet(folder: string, report: BenchReport, metrics: RunMetrics): Promise<void> {
  await checkParquetFolder(folder, report.shard);
  const columns = resultColumns(metrics);
  for (const table of RESULT_TABLES) {
    await makeFolder(join(folder, table));
    await writeTable(tableFile(folder, table, report.shard), {
      table,
      columns: columns[table],
      lines: resultLines(report, table),
    });
  }
}

const DIGITS = 5;
const PART_NAME = /^part-\d+-of-(\d+)\.parquet$/;

/** The path of a part's file of a table; a whole run is the one part of it. */
export function tableFile(folder: string, table: ResultTable, shard: Shard | null): string {
  const { index, count } = shard ?? { index: 1, count: 1 };
  const padded = (value: number) => String(value).padStart(DIGITS, "0");
  return join(folder, table, `part-${padded(index)}-of-${padded(count)}.parquet`);
}

/**
 * Looks at the folder, or at the nearest one above it that is there. Nothing is made, since a run may end before it has results. Throws `bad-input` if it cannot be
 * made or written to, or has a run in another number of parts.
 */
export async function checkParquetFolder(folder: string, shard: Shard | null): Promise<void> {
  for (let place = folder; ; place = dirname(place)) {
    const found = await stat(place).catch(() => null);
    if (found === null && place !== dirname(place)) continue;
    if (found?.isDirectory() !== true) {
      const why = place === folder ? "is a file" : `cannot be created: ${place} is a file`;
      throw new PlimsollError("bad-input", `${folder}: ${why}; give another folder`);
    }
    await access(place, constants.W_OK).catch((cause: unknown) => {
      throw unwritable(folder, cause);
    });
    break;
  }
  const names = await readdir(join(folder, "rows")).catch(() => []);
  const counts = names.flatMap((name) => Number(PART_NAME.exec(name)?.[1] ?? []));
  const [other] = counts.filter((count) => count > 0 && count !== (shard?.count ?? 1));
  if (other !== undefined)
    throw new PlimsollError(
      "bad-input",
      `${folder}: holds a run in ${other} ${other === 1 ? "part" : "parts"}; give another folder`,
    );
}

function unwritable(path: string, cause: unknown): PlimsollError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PlimsollError("bad-input", `${path}: cannot be written (${why})`, { file: path }, cause);
}

async function makeFolder(path: string): Promise<void> {
  // A person named neither this folder nor the target of a link in its place.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new PlimsollError("bad-input", `${path}: it is a link to ${readlinkSync(path)}; remove it, or name another place`);
  await mkdir(path, { recursive: true }).catch((cause: unknown) => {
    throw unwritable(path, cause);
  });
}

interface TableContent {
  readonly table: ResultTable;
  readonly columns: readonly ResultColumn[];
  readonly lines: Iterable<object>;
}

/** Lines that are held at a time, and read at a time later: some ten megabytes of recorded sessions' results (chosen). */
const GROUP_LINES: Readonly<Record<ResultTable, number>> = { sessions: 5_000, rows: 500, calls: 50_000 };

async function writeTable(path: string, { table, columns, lines }: TableContent): Promise<void> {
  const { fileWriter, parquetWriteRows } = await import("hyparquet-writer");
  function* rows() {
    for (const line of lines) yield Object.fromEntries(columns.map((column) => [column.name, column.valueOf(line)]));
  }
  const described = columns.map(({ name, type }) => ({ name, type }));
  await writeWhole(path, (temporary) =>
    parquetWriteRows({ writer: fileWriter(temporary), columns: described, rows: rows(), rowGroupSize: GROUP_LINES[table] }),
  );
}

/** Lets it be written under another name first. */
async function writeWhole(path: string, write: (temporary: string) => Promise<void> | void): Promise<void> {
  const file = beginOutput(path);
  try {
    await write(file.temporary);
    file.commit();
  } catch (cause) {
    file.discard();
    // Lines are made while they are written: an error in making them is no fault of the place.
    throw cause instanceof Error && "syscall" in cause ? unwritable(path, cause) : cause;
  }
}
