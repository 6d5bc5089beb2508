import type { Validation } from "./validation.ts";
import { validationLead, validationTables } from "./validation-tables.ts";

/** A validation as Markdown: what happens after compactions, which measures predict it, what summaries hold. */
export function validationMarkdown(validation: Validation): string {
  const sections = validationTables(validation).map(({ title, notes, head, rows }) => {
    const rule = head.map((_, place) => (place === 0 ? "---" : "---:"));
    return [`## ${title}`, "", ...notes, "", row(head), `|${rule.join("|")}|`, ...rows.map(row), ""].join("\n");
  });
  return ["# What real compactions show", "", ...validationLead(validation), "", ...sections].join("\n");
}

/** A cell's text may be a folder's name: what means something in a table is taken out of it. */
function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replace(/[|\n\r]/g, " ").trim()).join(" | ")} |`;
}
