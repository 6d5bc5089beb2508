import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { PlimsollError } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { readRegularFile } from "@plimsoll/stores";
import type { Shard } from "../results.ts";
import type { ResultTable } from "./result-tables.ts";

/** Which parts of a run a folder of results has: those that were written to their end. */
export interface PartsThere {
  /** Into how many parts the run is divided; 0 if none is there. */
  readonly count: number;
  /** Their numbers, from 1, in order. */
  readonly there: readonly number[];
}

/** The folder of the files that say that a part is whole, and what its tables do not. */
export const PARTS = "parts";
const DIGITS = 5;
const PART_NAME = /^part-(\d+)-of-(\d+)\.json$/;

/** The name of a part's files, without what tells their kind. */
export function nameOf({ index, count }: Shard): string {
  const padded = (value: number) => String(value).padStart(DIGITS, "0");
  return `part-${padded(index)}-of-${padded(count)}`;
}

/** The path of the file that says that a part is whole. */
export function aboutFile(folder: string, shard: Shard): string {
  return join(folder, PARTS, `${nameOf(shard)}.json`);
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

/** The most bytes of one file of a part; chosen: one buffer of it still fits the memory of a common machine. */
const MAXIMUM_PART_BYTES = 2_000_000_000;

/** The bytes of a part's file. Throws for what is no regular file, or is larger than any that a run writes. */
export function readPartFile(path: string): Buffer {
  return readRegularFile(path, MAXIMUM_PART_BYTES);
}

/** Reads the facts of a part that its tables do not have. Throws `bad-input` if its file cannot be read. */
export async function aboutPart(folder: string, shard: Shard): Promise<Readonly<Record<string, unknown>>> {
  try {
    const about: unknown = JSON.parse(readPartFile(aboutFile(folder, shard)).toString("utf8"));
    if (!isRecord(about)) throw new Error("no record");
    return about;
  } catch (cause) {
    throw unreadablePart(folder, shard, cause);
  }
}

/** Makes the error for a part of which a file cannot be read. */
export function unreadablePart(folder: string, shard: Shard, cause: unknown): PlimsollError {
  const name = nameOf(shard);
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PlimsollError("bad-input", `${folder}: ${name} cannot be read (${why}); run it again`, { file: name }, cause);
}

/** Makes the error for a place that cannot be written to. */
export function unwritable(path: string, cause: unknown): PlimsollError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PlimsollError("bad-input", `${path}: cannot be written (${why})`, { file: path }, cause);
}
