import { type Validation, validationLead, validationTables } from "@plimsoll/bench/internal";
import { printable, shortened } from "../terminal/printable.ts";
import { drawTable } from "../terminal/text-table.ts";

/** Longest name of a row that a table shows whole. */
const NAME_CHARS = 34;

/** All tables of a validation, for a terminal of 80 columns. */
export function validationText(validation: Validation): string {
  const tables = validationTables(validation).map(({ title, notes, head, rows }) => {
    const shownRows = rows.map(([name = "", ...figures]) => [shortened(printable(name), NAME_CHARS), ...figures]);
    const table = drawTable({ head: [head.map((content) => ({ content }))], rows: shownRows, leftColumns: [0] });
    return [title, ...notes, table, ""].join("\n");
  });
  return `${[...validationLead(validation), "", ...tables].join("\n")}`;
}
