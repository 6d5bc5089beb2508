import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beginOutput, checkOutputFolder } from "@plimsoll/stores";
import type { RunMetrics } from "../metrics/registry.ts";
import type { BenchReport } from "../results.ts";
import { checkResultFolder } from "./check-result-folder.ts";
import type { ResultColumn } from "./result-columns.ts";
import { aboutFile, PARTS, tableFile, unwritable } from "./result-folder.ts";
import { RESULT_TABLES, type ResultTable, resultColumns, resultLines } from "./result-tables.ts";
import { runIdentity, shareOf } from "./run-identity.ts";

/**
 * Writes a part, or a whole run as the one part of it, so that nobody sees half of it: each file under another name first, and last the one that
 * says that the part is whole. The same part of the same run is replaced. Throws `bad-input` if the folder cannot be written to, or has
 * parts of another run.
 */
export async function writePart(folder: string, report: BenchReport, metrics: RunMetrics): Promise<void> {
  const shard = report.shard ?? { index: 1, count: 1 };
  await checkResultFolder(folder, report);
  for (const each of [PARTS, ...RESULT_TABLES]) await makeFolder(join(folder, each));
  const about = aboutFile(folder, shard);
  await rm(about, { force: true }).catch((cause: unknown) => {
    throw unwritable(about, cause);
  });
  const columns = resultColumns(metrics);
  for (const table of RESULT_TABLES)
    await writeTable(tableFile(folder, table, shard), { table, columns: columns[table], lines: resultLines(report, table) });
  // A million names in each of a thousand parts would be more than all results: each part has its own, and all together have them all.
  const inputs = shareOf(report.inputs, shard);
  const rest = { ...report, run: runIdentity(report), inputs, sessions: [], rows: [] };
  await writeWhole(about, (temporary) => writeFile(temporary, `${JSON.stringify(rest)}\n`));
}

async function makeFolder(path: string): Promise<void> {
  checkOutputFolder(path);
  await mkdir(path, { recursive: true }).catch((cause: unknown) => {
    throw unwritable(path, cause);
  });
}

/** A table's columns and its lines, which are made when they are written. */
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
    // Lines are made while they are written: what goes wrong there is no fault of the place.
    throw isOfSystem(cause) ? unwritable(path, cause) : cause;
  }
}

function isOfSystem(cause: unknown): boolean {
  return cause instanceof Error && "syscall" in cause;
}
