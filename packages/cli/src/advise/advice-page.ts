import { html, type Markup, pasteBlock, problemList, renderPage, scrollFrame } from "@plimsoll/bench/extend";
import { adviceProblems, advisedAgents, answerLines, sourceText } from "./advice-text.ts";
import { answerSentences, decisionTitle, decisionWords, FILL_HEADS, ROW_READING, SETTING_HEADS } from "./advice-words.ts";
import type { Decision } from "./decide.ts";

const SCRIPTS = ["folded-sections.js", "copy-button.js"];

/** The advice as one HTML page that needs no network: the answer, then each decision with its settings, what to paste, and what fills the requests. */
export function adviceHtml(decisions: readonly Decision[]): string {
  const agents = advisedAgents(decisions);
  const sentences = decisions.flatMap((decision) => answerSentences(decision).map((text) => [decision, text] as const));
  const [first = ""] = answerLines(decisions)
    .join(" ")
    .split(/(?<=compacted\.|of it\.) /);
  const main = html`<h1>What compaction cost you, and what to set</h1>
<section class="answer" aria-label="The answer"><p class="pick">${first}</p>
<ul>${sentences.map(([decision, text]) => html`<li><b>${decisionTitle(decision)}</b>. ${text}</li>`)}</ul></section>
${problemList(adviceProblems(agents))}
${decisions.map(decisionSection)}
<p class="note">${ROW_READING}</p>
<ul>${agents.map((agent) => html`<li class="note">${sourceText(agent)}</li>`)}</ul>
<p class="note"><code>plimsoll proxy --help</code> says how to run the proxy. Replies are the recorded ones: replays say nothing of task success.</p>`;
  return renderPage({ title: "Plimsoll: advice on compaction", main, blocks: [], scripts: SCRIPTS });
}

function decisionSection(decision: Decision, index: number): Markup {
  const title = decisionTitle(decision);
  const { facts, answers, settings, fills, paste } = decisionWords(decision);
  return html`<section aria-label="${title}"><h2>${title}</h2>
${facts.map((text) => html`<p class="soft">${text}</p>`)}
${answers.map((text) => html`<p><b>${text}</b></p>`)}
${paste === null ? html`` : pasteBlock({ id: `paste-${index}`, label: paste.file, text: paste.lines.join("\n") })}
${settings === null ? html`` : html`<h3>Settings that were tried</h3><p class="soft">${settings.legend}</p>${table(`settings that were tried, ${title}`, SETTING_HEADS, settings.rows)}`}
<h3>What fills the requests</h3>
${table(`what fills the requests, ${title}`, FILL_HEADS, fills)}</section>`;
}

function table(name: string, heads: readonly string[], rows: readonly (readonly string[])[]): Markup {
  if (rows.length === 0) return html``;
  return html`${scrollFrame(name)}<table class="figures"><thead><tr>${heads.map((head, place) => html`<th class="${place === 0 ? "name" : "wrapped"}" scope="col">${head}</th>`)}</tr></thead><tbody>${rows.map(([label = "", ...cells]) => html`<tr><th class="name" scope="row">${label}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}
