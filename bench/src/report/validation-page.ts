import type { Validation } from "../validate/validation.ts";
import { type ValidationTable, validationLead, validationTables } from "../validate/validation-tables.ts";
import { html, type Markup } from "./markup.ts";
import { renderPage } from "./page.ts";

/** What real compactions show as one HTML page that needs no network. */
export function renderValidationHtml(validation: Validation): string {
  const main = html`<h1>What real compactions show</h1>
${validationLead(validation).map((line) => html`<p class="note">${line}</p>\n`)}
${validationTables(validation).map(tableSection)}`;
  return renderPage({ title: "Plimsoll: what real compactions show", main, blocks: [], scripts: [] });
}

/** One table under its title, with its notes. */
export function tableSection({ title, notes, head, rows }: ValidationTable): Markup {
  return html`<h2>${title}</h2>
${notes.map((line) => html`<p class="note">${line}</p>\n`)}
<div class="table"><div class="scroll"><table class="figures">
<thead><tr>${head.map((cell) => html`<th class="name" scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map(([name = "", ...figures]) => html`<tr><th class="name sticky" scope="row">${name}</th>${figures.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody>
</table></div></div>
`;
}
