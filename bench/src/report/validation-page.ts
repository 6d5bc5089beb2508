import type { Validation } from "../validate/validation.ts";
import { validationLead, validationTables } from "../validate/validation-tables.ts";
import { html } from "./markup.ts";
import { renderPage } from "./page.ts";
import { textTable } from "./table.ts";
import { tableHtml } from "./table-html.ts";

/** Renders the figures of real compactions as one HTML page that needs no network. */
export function renderValidationHtml(validation: Validation): string {
  const title = "What real compactions show";
  const main = html`<h1>${title}</h1>
<section class="answer" aria-label="The answer"><p class="pick">${validationAnswer(validation)}</p>
<ul>${validationLead(validation).map((line) => html`<li>${line}</li>`)}</ul></section>
${validationTables(validation).map((table) => html`<h2>${table.title}</h2>${tableHtml(textTable(table))}`)}`;
  return renderPage({ title: `Plimsoll: ${title}`, main, scripts: ["figure-tables.js", "column-meanings.js"] });
}

/** Whether any measure is shown to predict what recorded agents did again, in a sentence. */
function validationAnswer({ predictions, compactedSessions }: Validation): string {
  if (compactedSessions === 0) return "None of these sessions was compacted while it was recorded: they show nothing.";
  const measures = [
    ...new Set(predictions.filter(({ of, verdict }) => of === "all" && verdict === "predicts").map(({ measure }) => measure)),
  ];
  if (measures.length > 0) return `Shown to predict what has to be done again: ${measures.join(", ")}.`;
  const unknown = predictions.flatMap(({ of, verdict, measure }) => (of === "all" && verdict === "unknown" ? [measure] : []));
  const open = unknown.length === 0 ? "" : `; of ${[...new Set(unknown)].join(", ")} there are too few projects to say`;
  return `No measure is shown to predict what has to be done again${open}.`;
}
