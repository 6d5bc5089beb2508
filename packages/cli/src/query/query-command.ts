import { resolve } from "node:path";
import { checkOneRun, partsThere, RESULT_TABLES, tableFile } from "@plimsoll/bench/internal";
import { PlimsollError } from "@plimsoll/core";
import type { Command } from "commander";
import type { CliIo } from "../io.ts";
import { EXIT_OK } from "../io.ts";
import { lineFor, tableColumns } from "../terminal/printable.ts";
import { answerText } from "./answer-text.ts";
import { type Database, openDatabase, type QueryAnswer } from "./duckdb.ts";

interface QueryOptions {
  readonly in: string;
  readonly json?: true;
}

/** Adds `plimsoll query`: SQL over a folder of results. */
export function defineQueryCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command
    .argument("<sql>", "a statement of SQL, as DuckDB has it")
    .option("--in <folder>", "the folder that plimsoll bench --out wrote", "results")
    .option("--json", "print the answer as JSON, a list of rows")
    .action(async (sql: string, options: QueryOptions) => onExit(await query(sql, options, io)));
}

async function query(sql: string, options: QueryOptions, io: CliIo): Promise<number> {
  const database = await openDatabase();
  try {
    await openResults(database, { path: resolve(io.cwd, options.in), name: options.in }, io);
    const answer = await database.ask(sql);
    if (options.json === true) io.stdout.write(asJson(answer));
    else print(answer, io);
    return EXIT_OK;
  } finally {
    database.close();
  }
}

/** Names each table, over the files of the parts that are whole. Says which are missing. */
async function openResults(
  database: Database,
  { path, name }: { readonly path: string; readonly name: string },
  io: CliIo,
): Promise<void> {
  const parts = await partsThere(path);
  const { count, there } = parts;
  if (count === 0) throw new PlimsollError("bad-input", `${name}: no results; give a folder that plimsoll bench --out wrote`);
  await checkOneRun(path, parts);
  if (there.length < count) {
    io.stderr.write(lineFor(io.stderr, `plimsoll: ${there.length} of ${count} parts are there: figures are of these alone`));
  }
  for (const table of RESULT_TABLES) {
    const files = there.map((index) => quoted(tableFile(path, table, { index, count })));
    await database.ask(`create view "${table}" as select * from read_parquet([${files.join(", ")}], union_by_name = true)`);
  }
}

function quoted(text: string): string {
  return `'${text.split("'").join("''")}'`;
}

function asJson({ columns, rows }: QueryAnswer): string {
  const entries = rows.map((row) => JSON.stringify(Object.fromEntries(columns.map((column, place) => [column, row[place]]))));
  return entries.length === 0 ? "[]\n" : `[\n${entries.join(",\n")}\n]\n`;
}

function print(answer: QueryAnswer, io: CliIo): void {
  const { text, isCut } = answerText(answer, tableColumns(io.stdout));
  io.stdout.write(text);
  if (isCut) io.stderr.write(lineFor(io.stderr, "plimsoll: … stands for what was left out; --json prints it whole"));
}
