import { printable, shortened } from "../terminal/printable.ts";
import { drawTable } from "../terminal/text-table.ts";
import type { QueryAnswer } from "./duckdb.ts";

/** An answer as it is printed. */
export interface AnswerText {
  readonly text: string;
  /** True if a name or value is too long to be shown whole. */
  readonly isCut: boolean;
}

/** A cell of a table is no longer than this. Chosen. */
const CELL_CHARS = 60;
/** Between the name and the value of a line. */
const GAP = "  ";

/**
 * The answer as a table if it fits so many terminal columns, else a line for each column: its name and value, record after record. A table in several
 * parts would have to be put together by its reader, since the rows of an answer need not have a column that names them.
 */
export function answerText(answer: QueryAnswer, width: number): AnswerText {
  const cells = answer.rows.map((row) => row.map(cellText));
  const columnChars = answer.columns.map((name, place) =>
    cells.reduce((most, row) => Math.max(most, Math.min(CELL_CHARS, charsOf(row[place] ?? ""))), charsOf(name)),
  );
  const tableChars = columnChars.reduce((sum, chars) => sum + chars + 1, -1);
  return tableChars <= width ? asTable(answer, cells) : asRecords(answer.columns, cells, width);
}

function asTable({ columns, rows }: QueryAnswer, cells: readonly (readonly string[])[]): AnswerText {
  const leftColumns = columns.flatMap((_, place) => (rows.some((row) => typeof row[place] === "string") ? [place] : []));
  const head = columns.map(
    (name, place) => ({ content: printable(name), align: leftColumns.includes(place) ? "left" : "right" }) as const,
  );
  const shown = cells.map((row) => row.map((cell) => shortened(cell, CELL_CHARS)));
  return {
    text: `${drawTable({ head: [head], rows: shown, leftColumns }, Number.POSITIVE_INFINITY)}\n`,
    isCut: cells.some((row) => row.some((cell) => charsOf(cell) > CELL_CHARS)),
  };
}

function asRecords(columns: readonly string[], cells: readonly (readonly string[])[], width: number): AnswerText {
  // A name has half of the line at most: a column that is not named is called by its whole expression.
  const mostNameChars = Math.floor(width / 2);
  const names = columns.map((name) => shortened(name, mostNameChars));
  const nameChars = Math.max(...names.map(charsOf));
  const valueChars = width - nameChars - GAP.length;
  const records = cells.map((row) =>
    names.map((name, place) => {
      const value = shortened(row[place] ?? "", valueChars);
      return `${name}${" ".repeat(nameChars - charsOf(name))}${GAP}${value}`.trimEnd();
    }),
  );
  const text = records.map((lines) => `${lines.join("\n")}\n`).join("\n");
  return {
    text: records.length === 0 ? "no rows\n" : text,
    isCut:
      columns.some((name) => charsOf(name) > mostNameChars) ||
      cells.some((row) => row.some((cell) => charsOf(cell) > valueChars)),
  };
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const charsOf = (text: string): number => [...text].length;
