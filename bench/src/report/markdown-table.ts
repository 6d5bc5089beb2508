import { visible } from "./markup.ts";

/** A table in Markdown: titles and cells as they are to stand there. */
export interface MarkdownTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The table; its first column is of names, the others of figures. */
export function markdownTable({ head, rows }: MarkdownTable): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = `|${head.map((_, index) => (index === 0 ? "---" : "---:")).join("|")}|`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}

/** A text without characters that would become markup or end a cell, and with what cannot be seen shown. */
export function escaped(text: string): string {
  return visible(text)
    .replace(/[\\|<>&*_`[\]]/g, (character) => `\\${character}`)
    .replace(/\s+/g, " ");
}
