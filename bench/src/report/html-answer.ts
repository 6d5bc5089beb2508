import type { BenchReport } from "../results.ts";
import { answerTitle, type WindowAnswer } from "./answer.ts";
import { answerWords } from "./answer-words.ts";
import { formatNumberOf } from "./figures.ts";
import { capitalised } from "./labels.ts";
import { html, type Markup } from "./markup.ts";
import { lineWords } from "./verdict.ts";

/** The first screen: what compaction does to these sessions, which policy and threshold, and how sure that is, in words. */
export function answerSection(report: BenchReport, answers: readonly WindowAnswer[]): Markup {
  const calls = report.sessions.reduce((sum, session) => sum + session.calls, 0);
  const skipped = report.skipped.length === 0 ? "" : ` Skipped: ${formatNumberOf(report.skipped.length, "input")}.`;
  return html`<h1>What compaction does to these sessions</h1>
<p class="soft">${formatNumberOf(report.sessions.length, "recorded session")} with ${formatNumberOf(calls, "model call")} (${formatsOf(report)}), replayed under ${report.policies.length === 1 ? "one policy" : `${report.policies.length} policies`}.${skipped}
Open loop: sizes, cost, safety and retention, not task success.</p>
<div class="answers">${answers.map((answer) => answerCard(answer, (policy) => lineWords(report, answer.windowLabel, policy)))}</div>
${how(answers)}`;
}

function answerCard(answer: WindowAnswer, triggerOf: (policy: string) => string | null): Markup {
  const { without, verdict, losses, figures, others, sure } = answerWords(answer, triggerOf);
  return html`<section class="answer"><h3>${capitalised(answerTitle(answer))}</h3>
<p>${without}</p>
<p>${verdict === null ? html`` : html`<b class="pick">${verdict}</b> `}${losses === "" ? html`` : html`${losses} `}${figures}</p>
${others === "" ? html`` : html`<p class="soft">${others}</p>`}
${sure === "" ? html`` : html`<p class="soft"><b>How sure?</b> ${sure}</p>`}</section>`;
}

function how(answers: readonly WindowAnswer[]): Markup {
  if (answers.every(({ choice }) => choice.pick === null)) return html``;
  return html`<p class="note">Chosen by the vector (edit grounding, passage evidence, file in hand, instructions, plan; each over all and over far needs), over the sessions that outgrow the window without compaction. Recommended are policies without a lost request that are worse on no measure than a policy of at most 5 % more cost or the plain tail of their own size; of them the one at the knee of cost against the vector's mean. If there is none, the knee of all is named with what it loses. Worse: the 95 % interval of the paired difference over repositories lies below zero; from fewer than eight owners, a difference of a point or more. Policies made to cheat are never chosen.${
    answers.some(({ outcomes }) => outcomes.hasEstimatedCost)
      ? " If a model has no price, its prompt tokens are taken for its cost."
      : ""
  }
If what is held is worth more to you than cost, take one further up: <a href="#front">the chart</a> has them all.</p>`;
}

function formatsOf({ sessions }: BenchReport): string {
  const formats = [...new Set(sessions.map(({ format }) => format))];
  return formats.map((format) => `${format} ${sessions.filter((session) => session.format === format).length}`).join(", ");
}
