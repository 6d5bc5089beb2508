import {
  FEWEST_SESSIONS,
  formatCount,
  formatNumberOf,
  formatPercent,
  formatTokens,
  formatUsd,
  heldCell,
  heldText,
  html,
  type Markup,
  pasteBlock,
  problemList,
  renderPage,
  type SettingChoice,
  type SettingFigures,
  scrollFrame,
  shortTokens,
  xyChart,
} from "@plimsoll/bench/internal";
import {
  adviceProblems,
  KEEP_WORDS,
  leaningText,
  lostText,
  namesText,
  ownEngineTexts,
  pasteText,
  sureText,
  tradesText,
} from "./advice-text.ts";
import type { AgentAdvice, Turning } from "./agent-advice.ts";
import { minutesText, shortValues, titleOf, verdictLines } from "./verdict-lines.ts";

const SCRIPTS = ["folded-sections.js", "copy-button.js"];

/** The advice as one HTML page that needs no network: the verdict of the terminal, then each agent, what to paste, and how sure that is. */
export function adviceHtml(advice: readonly AgentAdvice[], { since }: { readonly since: string }): string {
  const [first = "", ...lines] = verdictLines(advice, since);
  const own = ownEngineTexts(advice);
  const main = html`<h1>What compaction cost you, and what to set</h1>
<section class="answer" aria-label="The answer"><p class="pick">${first}</p>
<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></section>
${problemList(adviceProblems(advice))}
${advice.map(agentSection)}
<h2>Apart from all settings: our own engine</h2>
${own.length === 0 ? html`<p class="soft">Nothing was replayed with it.</p>` : html`<ul>${own.map((text) => html`<li>${text}</li>`)}</ul>`}
<p class="note">To get it: <code>plimsoll proxy</code> under your agent (<code>plimsoll proxy --help</code>), <code>plimsoll chat</code>, or a loop of your own with <code>@plimsoll/core</code>. Replays are open loop: they say nothing of task success.</p>`;
  return renderPage({ title: "Plimsoll: advice on compaction", main, blocks: [], scripts: SCRIPTS });
}

function agentSection(advice: AgentAdvice, index: number): Markup {
  const { cost, windowTokens, turning } = advice;
  const window = windowTokens === null ? "" : `, window ${shortTokens(windowTokens)}`;
  const facts = costFacts(advice);
  return html`<section aria-label="${titleOf(advice)}"><h2>${titleOf(advice)}</h2>
<p class="soft">${formatNumberOf(cost.sessions, "session")}${window}</p>
<dl>${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${turning === null ? html`<p class="soft">It has no setting that advise knows.</p>` : turningPart(turning, index)}</section>`;
}

/** Lists the cost and the losses of compactions, each with its name. */
function costFacts({ cost, waitsMs }: AgentAdvice): readonly (readonly [name: string, value: string])[] {
  const usd = cost.usdText ?? "no prices known";
  if (cost.compactions === 0)
    return [
      ["all requests", usd],
      ["compactions", "none"],
    ];
  const waited = waitsMs.reduce((sum, ms) => sum + ms, 0);
  const part = cost.compactionUsd === null ? "" : `modelled at $${formatUsd(cost.compactionUsd)}, `;
  return [
    ["all requests", usd],
    ["compactions", `${formatCount(cost.compactions)} in ${formatNumberOf(cost.compactedSessions, "session")}`],
    ["they cost", `${part}${formatTokens(cost.compactionTokens)} tokens`],
    [
      "you waited",
      waitsMs.length === 0 ? "not in the logs" : `${minutesText(waited)} at ${formatCount(waitsMs.length)} of them`,
    ],
    ["lost", lostText(cost)],
    ...cost.held.map(({ what, percent }) => [`still there: ${what}`, `${formatPercent(percent)} %`] as const),
  ];
}

function turningPart({ knobs, settings, values, refusal, choice }: Turning, index: number): Markup {
  const now = values.size === 0 ? `Nothing is set in ${settings.shown}.` : `Now: ${shortValues(values)} (${settings.shown}).`;
  return html`<p>${now}</p>
${refusal === null ? html`` : html`<p><b>No setting is proposed:</b> ${refusal}.</p>`}
${choice === null ? html`` : choicePart(choice, { knobs, settings }, index)}
<p class="note">Names ${namesText(knobs)}.</p>`;
}

function choicePart(choice: SettingChoice, { knobs, settings }: Pick<Turning, "knobs" | "settings">, index: number): Markup {
  const { verdict, figures, sessions, idleSessions } = choice;
  if (verdict.kind === "idle")
    return html`<p><b>Nothing to change:</b> no session fills half of the window; they are too short to tell settings apart.</p>`;
  const best = verdict.kind === "change" ? verdict.best : null;
  const idle = idleSessions === 0 ? "" : `; ${formatCount(idleSessions)} shorter ones are left out`;
  return html`<div class="verdict"><div>${verdictPart(choice, { knobs, settings }, index)}
<p class="note">From ${formatNumberOf(sessions, "session")} that ${sessions === 1 ? "fills" : "fill"} half of the window${idle}.</p></div>
${settingsChart(figures, best)}</div>
${settingsTable(figures, best)}`;
}

function verdictPart(choice: SettingChoice, { knobs, settings }: Pick<Turning, "knobs" | "settings">, index: number): Markup {
  const { verdict, figures, sessions } = choice;
  switch (verdict.kind) {
    case "idle":
      return html``;
    case "too-few":
      return html`<p><b>Too few to tell:</b> ${formatCount(sessions)} of the ${FEWEST_SESSIONS} sessions that it takes.</p>
${verdict.leaning === null ? html`<p>Change nothing on this.</p>` : html`<p>They lean to ${leaningText(verdict.leaning, { settings, sessions })}:</p>${pasteBlock({ id: `paste-${index}`, label: settings.shown, text: pasteText(knobs.place.form, verdict.leaning.values).join("\n") })}`}`;
    case "keep":
      return html`<p><b>How sure?</b> ${KEEP_WORDS[verdict.why]}.</p>${tradesText(figures).map((text) => html`<p>A trade is ${text}.</p>`)}`;
    case "change":
      return html`${pasteBlock({ id: `paste-${index}`, label: settings.shown, text: pasteText(knobs.place.form, verdict.best.values).join("\n") })}
<p><b>How sure?</b> ${sureText(choice)}.</p>
<p>Or let it be written: <code>plimsoll advise --from ${knobs.agent} --write</code>; <code>--undo</code> takes it back.</p>`;
    default:
      return verdict satisfies never;
  }
}

function settingName({ values }: SettingFigures): string {
  return values.size === 0 ? "as it is" : shortValues(values);
}

/** Cost against what is held, of what is set now and of all that was tried. */
function settingsChart(figures: readonly SettingFigures[], best: SettingFigures | null): Markup {
  const [now, ...others] = figures;
  // Values of one knob need no name each.
  const paths = new Set(figures.flatMap(({ values }) => [...values.keys()]));
  const [onlyPath] = paths.size === 1 ? paths : [];
  const labelOf = (figure: SettingFigures) =>
    onlyPath === undefined ? settingName(figure) : String(figure.values.get(onlyPath) ?? "as it is");
  const pointsOf = (shown: readonly SettingFigures[]) =>
    shown.map((figure) => ({
      x: 100 * figure.costRatio,
      y: figure.score.gain ?? 0,
      label: labelOf(figure),
      title: `${settingName(figure)}: ${formatPercent(100 * figure.costRatio)} % of the cost now, ${heldText(figure.score.gain)}`,
    }));
  const isBest = ({ policy }: SettingFigures) => policy.name === best?.policy.name;
  return xyChart({
    title: "Cost against what is held",
    xTitle: "cost (% of what is set now)",
    yTitle: "held when needed (%)",
    series: [
      {
        name: onlyPath ?? "settings",
        colour: 1,
        points: pointsOf(others.filter((each) => !isBest(each))),
        isLine: false,
        labels: true,
      },
      {
        name: "what you run now",
        colour: 3,
        points: pointsOf(now === undefined ? [] : [now]),
        isLine: false,
        labels: true,
        isMarked: true,
      },
      { name: "to set", colour: 2, points: pointsOf(best === null ? [] : [best]), isLine: false, labels: true, isMarked: true },
    ],
  });
}

function settingsTable(figures: readonly SettingFigures[], best: SettingFigures | null): Markup {
  const rows = figures.map((figure) => {
    const { costRatio, score } = figure;
    const mark = figure.policy.name === best?.policy.name ? " *" : "";
    const cells = [
      formatPercent(100 * costRatio),
      heldCell(score.gain),
      formatPercent(score.farGain),
      formatCount(score.overflows),
    ];
    return html`<tr><th class="name" scope="row">${settingName(figure)}${mark}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
  });
  const heads = ["cost, % of now", "held, %", "held far, %", "rejected calls"];
  return html`<details><summary>Every setting that was tried</summary>${scrollFrame("every setting that was tried")}<table class="figures"><thead><tr><th class="name" scope="col">setting</th>${heads.map((head) => html`<th class="wrapped" scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div></details>`;
}
