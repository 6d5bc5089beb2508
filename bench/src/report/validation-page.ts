import type { Validation } from "../validate/validation.ts";
import { type ValidationTable, validationLead, validationTables } from "../validate/validation-tables.ts";
import { scrollFrame } from "./figure-table.ts";
import { html, type Markup } from "./markup.ts";
import { renderPage } from "./page.ts";

/** Renders the figures of real compactions as one HTML page that needs no network. */
export function renderValidationHtml(validation: Validation): string {
  const main = html`<h1>What real compactions show</h1>
<section class="answer" aria-label="The answer"><p class="pick">${validationAnswer(validation)}</p>
<ul>${validationLead(validation).map((line) => html`<li>${line}</li>`)}</ul></section>
${validationTables(validation).map(tableSection)}`;
  return renderPage({ title: "Plimsoll: what real compactions show", main, blocks: [], scripts: [] });
}

/** Whether any measure is shown to predict what recorded agents did again, in a sentence. */
function validationAnswer({ predictions, compactedSessions }: Validation): string {
  if (compactedSessions === 0) return "None of these sessions was compacted while it was recorded: they show nothing.";
  const measures = [
    ...new Set(predictions.filter(({ of, verdict }) => of === "all" && verdict === "predicts").map(({ measure }) => measure)),
  ];
  if (measures.length > 0) return `Shown to predict what has to be done again: ${measures.join(", ")}.`;
  const unknown = predictions.flatMap(({ of, verdict, measure }) => (of === "all" && verdict === "unknown" ? [measure] : []));
  const open = unknown.length === 0 ? "" : `; of ${[...new Set(unknown)].join(", ")} there are too few owners to say`;
  return `No measure is shown to predict what has to be done again${open}.`;
}

/** One table under its title, with its notes: lines of a terminal, put together. */
export function tableSection({ title, notes, head, rows }: ValidationTable): Markup {
  const [first = "", ...titles] = head;
  const corner = first === "" ? html`<td></td>` : html`<th class="name" scope="col">${first}</th>`;
  return html`<h2>${title}</h2>
<p class="note">${notes.join(" ")}</p>
<div class="table">${scrollFrame(title)}<table class="figures">
<thead><tr>${corner}${titles.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map(([name = "", ...figures]) => html`<tr${name.startsWith(" ") ? "" : html` class="group-row"`}><th class="name sticky" scope="row">${name}</th>${figures.map((cell) => html`<td>${cell}</td>`)}</tr>\n`)}</tbody>
</table></div></div>
`;
}
