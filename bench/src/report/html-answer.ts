import type { BenchReport, ReportProblem } from "../results.ts";
import { answerTitle, type WindowAnswer } from "./answer.ts";
import { type AnswerWords, answerWords } from "./answer-words.ts";
import { formatNumberOf, lineageWords } from "./figures.ts";
import { frontChart } from "./front-chart.ts";
import { capitalised, windowLabel } from "./labels.ts";
import { html, type Markup } from "./markup.ts";
import { reportProblems } from "./problems.ts";
import { agentWords, nowLines, type RunningNow, runningNow } from "./running-now.ts";
import { lineWords, verdictLines } from "./verdict.ts";

/** The first screen: for each window the verdict, as the terminal has it, beside cost against what is held. */
export function answerSection(report: BenchReport, answers: readonly WindowAnswer[]): Markup {
  const calls = report.sessions.reduce((sum, session) => sum + session.calls, 0);
  const skipped = report.skipped.length === 0 ? "" : ` Skipped: ${formatNumberOf(report.skipped.length, "input")}.`;
  const labels = [...new Set(answers.map(({ windowLabel }) => windowLabel))];
  return html`<h1>What compaction does to these sessions</h1>
<p class="soft lead">${formatNumberOf(report.sessions.length, "recorded session")} with ${formatNumberOf(calls, "model call")} (${formatsOf(report)}), replayed under ${report.policies.length === 1 ? "one policy" : `${report.policies.length} policies`}.${skipped} ${lineageWords(report.lineages)} Open loop: sizes, cost, safety and retention, not task success.</p>
${problemList(reportProblems(report))}
${labels.map((label) =>
  windowSection(
    report,
    answers.filter(({ windowLabel }) => windowLabel === label),
  ),
)}
${how(answers)}`;
}

/** Lists the problems that a reader must know before any figure; nothing without a problem. */
export function problemList(problems: readonly ReportProblem[]): Markup {
  if (problems.length === 0) return html``;
  return html`<section class="problems" aria-label="Problems"><h2>Problems</h2><ul>${problems.map(({ text }) => html`<li>${text}</li>`)}</ul></section>`;
}

/** The verdicts of one window beside its chart. */
function windowSection(report: BenchReport, answers: readonly WindowAnswer[]): Markup {
  const [first] = answers;
  if (first === undefined) return html``;
  const now = runningNow(report, first);
  const hasPoints = answers.some(({ choice }) => choice.placed.length > 0);
  const title = capitalised(first.windowLabel);
  const { without } = answerWords(first, () => null);
  return html`<section class="window" aria-label="${title}"><h2 class="window-title">${title}</h2><p class="soft">${without} ${roomWords(report, first.windowLabel)}</p>
<div class="verdict"><div>${answers.map((answer) => answerCard(report, answer))}
${hasPoints ? html`<div class="soft now">${nowWords(now, answers)}</div>` : html``}</div>
${hasPoints ? frontChart({ title: "Cost against what is held", answers, now }) : html``}</div></section>`;
}

/** Explains a room, where it is not the model's own window. */
function roomWords({ rows }: BenchReport, label: string): string {
  const window = rows.find((row) => windowLabel(row.window) === label)?.window;
  if (window === undefined || window.kind === "real") return "";
  return `For experts: a window with so much room above each session's overhead (system text and tools); --window real takes the model's own.`;
}

function answerCard(report: BenchReport, answer: WindowAnswer): Markup {
  const [use = "", ...others] = verdictLines(report, answer);
  const words = answerWords(answer, (policy) => lineWords(report, answer.windowLabel, policy));
  const title = answer.summaries === null ? "The answer" : `Summaries ${answer.summaries}`;
  const sure = others.length === 0 ? html`` : html` <a href="#validity">How far the figures reach</a>`;
  return html`<section class="answer" aria-label="${answerTitle(answer)}"><h3>${title}</h3>
<p class="pick">${use}</p>
${others.length === 0 ? html`` : html`<ul>${others.map((line, index) => html`<li>${line}${index === others.length - 1 ? sure : html``}</li>`)}</ul>`}
${inFull(words)}</section>`;
}

function inFull({ losses, figures, others, sure }: AnswerWords): Markup {
  const lines = [`${losses} ${figures}`.trim(), others, sure === "" ? "" : `How sure? ${sure}`];
  return html`<details><summary>In full</summary>${lines.map((line) => (line === "" ? html`` : html`<p>${line}</p>`))}</details>`;
}

/** Says which policies the person runs now, in words: the same points as in the chart. */
function nowWords(now: RunningNow, answers: readonly WindowAnswer[]): Markup {
  const lines = nowLines(
    now,
    answers.flatMap(({ choice }) => choice.placed),
  );
  return html`<b>What you run now:</b> ${agentWords(now)}<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}

function how(answers: readonly WindowAnswer[]): Markup {
  if (answers.every(({ choice }) => choice.pick === null)) return html``;
  return html`<details class="how"><summary>How it is chosen</summary><p class="note">Chosen by the vector (edit grounding, passage evidence, file in hand, instructions, plan; each over all and over far needs), over the sessions that outgrow the window without compaction. Recommended are policies without a lost request that are worse on no measure than a policy of at most 5 % more cost or the plain tail of their own size; of them the one at the knee of cost against the vector's mean. If there is none, the knee of all is named with what it loses. Worse: the 95 % interval of the paired difference over repositories lies below zero; from fewer than eight owners, a difference of a point or more. Policies made to cheat are never chosen.${
    answers.some(({ outcomes }) => outcomes.hasEstimatedCost)
      ? " If a model has no price, its prompt tokens are taken for its cost."
      : ""
  }
If what is held is worth more to you than cost, take one further up: <a href="#front">the charts</a> have them all.</p></details>`;
}

function formatsOf({ sessions }: BenchReport): string {
  const formats = [...new Set(sessions.map(({ format }) => format))];
  return formats.map((format) => `${format} ${sessions.filter((session) => session.format === format).length}`).join(", ");
}
