import { access, constants, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { PlimsollError } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/internal";
import type { RunMetrics } from "../metrics/registry.ts";
import type { BenchReport, Shard } from "../results.ts";
import { RESULT_TABLES, type ResultTable, resultColumns, resultLines } from "./result-tables.ts";
import { runIdentity } from "./run-identity.ts";

/** Which parts of a run a folder of results has: those that were written to their end. */
export interface PartsThere {
  /** Into how many parts the run is divided; 0 if none is there. */
  readonly count: number;
  /** Their numbers, from 1, in order. */
  readonly there: readonly number[];
}

/** The folder of the files that say that a part is whole, and what its tables do not. */
const PARTS = "parts";
const DIGITS = 5;
const PART_NAME = /^part-(\d+)-of-(\d+)\.json$/;

/** The name of a part's files, without what tells their kind. */
export function nameOf({ index, count }: Shard): string {
  const padded = (value: number) => String(value).padStart(DIGITS, "0");
  return `part-${padded(index)}-of-${padded(count)}`;
}

/** The path of a part's file of a table. */
export function tableFile(folder: string, table: ResultTable, shard: Shard): string {
  return join(folder, table, `${nameOf(shard)}.parquet`);
}

/**
 * Looks which parts are there. Throws `bad-input` if they are of runs that are divided differently.
 */
export async function partsThere(folder: string): Promise<PartsThere> {
  const names = await readdir(join(folder, PARTS)).catch(() => []);
  const found = names.flatMap((name) => {
    const [, index, count] = PART_NAME.exec(name) ?? [];
    return index === undefined ? [] : [{ index: Number(index), count: Number(count) }];
  });
  const counts = [...new Set(found.map(({ count }) => count))];
  if (counts.length > 1) {
    throw new PlimsollError(
      "bad-input",
      `${folder}: holds parts of runs in ${counts.toSorted((a, b) => a - b).join(" and in ")} parts; keep each run in a folder of its own`,
    );
  }
  return { count: counts[0] ?? 0, there: found.map(({ index }) => index).toSorted((a, b) => a - b) };
}

/** Throws `bad-input` if there can be no such folder, or it has parts of a run in another number of parts. `null` is a run of one part. */
export async function checkResultFolder(folder: string, shard: Shard | null): Promise<void> {
  await checkPlace(folder);
  const { count } = await partsThere(folder);
  const ofRun = shard?.count ?? 1;
  if (count !== 0 && count !== ofRun) {
    throw new PlimsollError(
      "bad-input",
      `${folder}: holds a run in ${count} ${count === 1 ? "part" : "parts"}, and this is one in ${ofRun}; give another folder`,
    );
  }
}

/** Looks at the folder, or at the nearest one above it that is there. Nothing is made, since a run may end before it has results. */
async function checkPlace(folder: string): Promise<void> {
  for (let place = folder; ; place = dirname(place)) {
    const found = await stat(place).catch(() => null);
    if (found === null && place !== dirname(place)) continue;
    if (found?.isDirectory() !== true)
      throw new PlimsollError("bad-input", `${folder}: cannot be a folder, since ${place} is a file; give another place`);
    await access(place, constants.W_OK).catch((cause: unknown) => {
      throw unwritable(folder, cause);
    });
    return;
  }
}

function unwritable(path: string, cause: unknown): PlimsollError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PlimsollError("bad-input", `${path}: cannot be written (${why})`, { file: path }, cause);
}

/**
 * Writes a part, or a whole run as the one part of it, so that nobody sees half of it: each file under another name first, and last the one that
 * says that the part is whole. A part that is there is replaced. Throws `bad-input` if the folder cannot be written to, or has parts of a run in another number of
 * parts.
 */
export async function writePart(folder: string, report: BenchReport, metrics: RunMetrics): Promise<void> {
  const shard = report.shard ?? { index: 1, count: 1 };
  await checkResultFolder(folder, report.shard);
  for (const each of [PARTS, ...RESULT_TABLES]) await makeFolder(join(folder, each));
  const about = join(folder, PARTS, `${nameOf(shard)}.json`);
  await rm(about, { force: true });
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  const [columns, lines] = [resultColumns(metrics), resultLines(report)];
  for (const table of RESULT_TABLES) {
    const columnData = columns[table].map((column) => ({
      name: column.name,
      type: column.type,
      data: lines[table].map((line) => column.valueOf(line)),
    }));
    await writeWhole(tableFile(folder, table, shard), new Uint8Array(parquetWriteBuffer({ columnData })));
  }
  // A million names in each of a thousand parts would be more than all results: each part has its own, and all together have them all.
  const inputs = report.inputs.filter((_, place) => place % shard.count === shard.index - 1);
  const rest = { ...report, run: runIdentity(report), inputs, sessions: [], rows: [], calibration: [] };
  await writeWhole(about, `${JSON.stringify(rest)}\n`);
}

/** What a part's tables do not say. Throws `bad-input` if its file cannot be read. */
export async function aboutPart(folder: string, shard: Shard): Promise<Readonly<Record<string, unknown>>> {
  try {
    const about: unknown = JSON.parse(await readFile(join(folder, PARTS, `${nameOf(shard)}.json`), "utf8"));
    if (!isRecord(about)) throw new Error("no record");
    return about;
  } catch (cause) {
    throw unreadablePart(folder, shard, cause);
  }
}

/** What to say of a part of which a file cannot be read. */
export function unreadablePart(folder: string, shard: Shard, cause: unknown): PlimsollError {
  const name = nameOf(shard);
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PlimsollError("bad-input", `${folder}: ${name} cannot be read (${why}); run it again`, { file: name }, cause);
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((cause: unknown) => {
    throw unwritable(path, cause);
  });
}

async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, content);
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw unwritable(path, cause);
  }
}
