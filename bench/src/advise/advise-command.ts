import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { MODEL_CATALOG, PRICES_AS_OF } from "@plimsoll/providers";
import { writeWholeFile } from "@plimsoll/stores";
import type { Command } from "commander";
import { checkOptions } from "../command/check-options.ts";
import { DEFAULT_LOG_LIMIT, findLogs, type LogOptions, parseAgent, unreadInputs } from "../command/find-inputs.ts";
import { PRICES_HELP, readPrices } from "../command/read-prices.ts";
import { collect, parseJobs, parseSince } from "../command/replay-options.ts";
import { openState, poolOf } from "../command/replay-state.ts";
import { LOCATED_AGENTS } from "../formats/locations.ts";
import { summaryRequestKind } from "../formats/summary-requests.ts";
import { type Corpus, openCorpus } from "../open/corpus.ts";
import type { ReportProblem } from "../results.ts";
import { formatCount, formatNumberOf, formatUsd, lineageWords } from "../show/figures.ts";
import { problemList } from "../show/html.ts";
import { figuresJson } from "../show/json.ts";
import { html, type Markup } from "../show/markup.ts";
import { pasteBlock, renderPage } from "../show/page.ts";
import { scrollFrame } from "../show/table-html.ts";
import { isUnread, problemText } from "../show/terminal-report.ts";
import { sumOf } from "../statistics.ts";
import { type CliIo, EXIT_FAILED, EXIT_OK, programOf } from "../terminal/io.ts";
import { printable, tableColumns, tell, wrapped } from "../terminal/printable.ts";
import { brokenAt, drawTable } from "../terminal/text-table.ts";
import {
  answerSentences,
  decisionTitle,
  decisionWords,
  FILL_HEADS,
  hasTable,
  keptSentences,
  MEASURE_READING,
  optionSentences,
  pricedText,
  ROW_READING,
  SETTING_HEADS,
  type Shown,
  shortAnswer,
} from "./advice-words.ts";
import { undoAdvice, writeAdvice } from "./apply-advice.ts";
import {
  type AdviceRun,
  type AdvisedAgent,
  type AgentLogs,
  byMoney,
  type Decision,
  dayOf,
  decideOn,
  type Payment,
  titleOf,
} from "./decide.ts";
import { knobsOf } from "./knob-table.ts";
import { countedSessions, factsText, habitSentences } from "./recorded-facts.ts";
import { joinedFills } from "./window-fill.ts";

interface AdviseOptions extends LogOptions {
  readonly prices?: string;
  readonly plan?: true;
  readonly jobs?: string;
  readonly html?: string;
  readonly json?: string;
  readonly full?: true;
  readonly write?: true;
  readonly undo?: true;
  readonly yes?: true;
}

/** The last four weeks: a person remembers them, and prices and models are of today. Chosen. */
const DEFAULT_SINCE = "4w";

/** `plimsoll advise`: prints the cost of compaction in the person's agents, and the settings to change. */
export function defineAdviseCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command
    .option("--from <agent>", `only these agents; repeatable (${LOCATED_AGENTS.join(", ")})`, collect)
    .option(
      "--since <time>",
      "logs with records since a date (2026-01-31), or of the last 12h, 7d or 4w (default: 4w; the newest if it has none)",
    )
    .option("--limit <count>", `read at most this many logs per agent, newest first (default: ${DEFAULT_LOG_LIMIT})`)
    .option("--prices <file>", PRICES_HELP)
    .option("--plan", "you pay by subscription: dollars are list prices, and no proxy is shown")
    .option("--jobs <count>", "parallel replays (default: one per processor core; 1 for few logs)")
    .optionsGroup("Results:")
    .option("--full", "print every decision, all contents of the requests, and all notes")
    .option("--html <file>", "write the advice as one HTML page, with settings to paste")
    .option("--json <file>", "write all figures as JSON")
    .optionsGroup("Your agent's settings:")
    .option("--write", "show the change to the agent's settings file, ask, and write it with a backup")
    .option("--undo", "undo --write if the file is unchanged since")
    .option("--yes", "write or undo without asking")
    .action(async (options: AdviseOptions) => onExit(await advise(options, io)))
    .addHelpOption(command.createOption("-h, --help", "show help").helpGroup("Help:"));
}

async function advise(options: AdviseOptions, io: CliIo): Promise<number> {
  checkOptions(options, {
    needs: { yes: ["write", "undo"] },
    excludes: { undo: ["write", "html", "json", "full", "limit", "prices", "plan"] },
  });
  const isAgreed = options.yes ?? false;
  if (options.undo) return undoAdvice((options.from ?? LOCATED_AGENTS).map(parseAgent), { isAgreed, io });
  const prices = readPrices(options.prices, io.cwd);
  const since = options.since ?? DEFAULT_SINCE;
  const recent = await findAgents({ ...options, since }, io);
  const isOld = recent.logs.length === 0 && options.since === undefined;
  const found = isOld ? await findAgents(options, io) : recent;
  const unread = await unreadInputs({ from: options.from ?? LOCATED_AGENTS, since: isOld ? undefined : since }, io);
  tell(io, ...unread.map(({ reason }) => reason));
  if (found.logs.length === 0) {
    const when = options.since === undefined ? "" : ` since ${dayOf(parseSince(options.since, io.nowMs()))}`;
    const how = options.since === undefined ? "" : "try a longer --since, or ";
    tell(io, `no logs${when} of ${found.without.join(", ")}; ${how}name a folder of logs: ${programOf(io)} bench FOLDER`);
    return EXIT_FAILED;
  }
  if (isOld) tell(io, "no logs from the last four weeks: reading the newest");
  const pays = options.plan === true ? "plan" : "tokens";
  const { decisions, habits } = await decideAll(
    found.logs,
    { options: isOld ? options : { ...options, since }, prices, pays },
    io,
  );
  const priced = options.prices === undefined ? "" : ` at your prices in ${options.prices}; other models`;
  const source = `Dollars:${priced} at the vendors' list prices of each call's day (tables of ${PRICES_AS_OF}).`;
  const shown = { columns: tableColumns(io.stdout), full: options.full ?? false, pays, habits, source } as const;
  // A person who writes has seen the advice.
  const answer = () => {
    const told = decisions.slice(0, SHOWN_DECISIONS).flatMap((each) => answerSentences(each, shown));
    const lines = [spentSentence(decisions, pays, source), ...told.map((text) => `→ ${text}`)].flatMap((text) => prose(text));
    return [...lines, ...shortLines(decisions, pays)].join("\n");
  };
  io.stdout.write(`${options.write ? answer() : adviceText(decisions, shown)}\n`);
  const write = (file: string, text: string) => {
    writeWholeFile(resolve(io.cwd, file), text);
    io.stdout.write(`Wrote ${printable(file)}.\n`);
  };
  if (options.html !== undefined) write(options.html, adviceHtml(decisions, shown));
  if (options.json !== undefined) write(options.json, adviceJson(decisions, pays));
  return options.write ? writeAdvice(decisions, pays, { isAgreed, io }) : EXIT_OK;
}

async function findAgents(
  { from, since, limit }: AdviseOptions,
  io: CliIo,
): Promise<{ readonly logs: readonly AgentLogs[]; readonly without: readonly string[] }> {
  const agents = await Promise.all(
    (from ?? LOCATED_AGENTS).map(async (name) => ({
      name,
      found: await findLogs({ from: [name], since, limit }, io),
    })),
  );
  const logs = LOCATED_AGENTS.flatMap((agent) => {
    const one = agents.find(({ name }) => name === agent);
    const files = one?.found.files ?? [];
    if (one === undefined || files.length === 0) return [];
    return [{ agent, files, found: files.length + one.found.older, unread: [...one.found.missing, ...one.found.notSessions] }];
  });
  return { logs, without: agents.filter(({ found }) => found.files.length === 0).map(({ name }) => name) };
}

/** A run of fewer files is over before workers have started (chosen). */
const FEWEST_SHARED_FILES = 12;

async function decideAll(
  logs: readonly AgentLogs[],
  { options, prices, pays }: { readonly options: AdviseOptions; readonly prices: AdviceRun["prices"]; readonly pays: Payment },
  io: CliIo,
): Promise<{ readonly decisions: readonly Decision[]; readonly habits: readonly string[] }> {
  const fileCount = logs.reduce((count, { files }) => count + files.length, 0);
  const found = logs.reduce((count, each) => count + each.found, 0);
  const few = fileCount < FEWEST_SHARED_FILES ? 1 : availableParallelism();
  const jobs = options.jobs === undefined ? few : parseJobs(options.jobs);
  const state = await openState({ file: undefined, run: "advise", isLasting: true }, io);
  const pool = await poolOf(jobs, io);
  const run = { pool, prices, kept: state.kept };
  const pricesOf = (modelId: string, atMs: number | null) => prices.get(modelId) ?? MODEL_CATALOG.pricesOf(modelId, atMs);
  const decisions: Decision[] = [];
  let counted: ReturnType<typeof countedSessions> = [];
  try {
    const opened: { readonly logs: AgentLogs; readonly corpus: Corpus }[] = [];
    for (const each of logs) opened.push({ logs: each, corpus: await openCorpus(each.files, pool) });
    const agents = opened.map(({ logs: { agent }, corpus }) => ({
      title: knobsOf(agent, null)?.title ?? titleOf(agent),
      corpus,
      summaries: summaryRequestKind(agent),
    }));
    counted = countedSessions(agents, { pricesOf, cacheRulesOf: MODEL_CATALOG.cacheRulesOf, pays });
    io.stdout.write(
      `${factsText(counted, { pays, logs: { read: fileCount, found, since: options.since }, program: programOf(io) }, tableColumns(io.stdout))}\n\n`,
    );
    for (const each of opened) decisions.push(...(await decideOn(each.logs, { corpus: each.corpus, run, pays, counted, io })));
  } finally {
    await pool.close();
  }
  await state.finish();
  const fills = joinedFills(decisions.map((each) => ({ fills: each.fills, promptTokens: each.cost.promptTokens })));
  return {
    decisions: decisions.toSorted(byMoney),
    habits: habitSentences(counted, fills, pays),
  };
}

/** The form of the file; raised if a field changes its meaning. */
const JSON_VERSION = 4;

function adviceJson(decisions: readonly Decision[], pays: Payment): string {
  const plain = decisions.map(({ agent: { turning, ...agent }, ...decision }) => ({
    ...{ ...agent, ...decision, agent: agent.agent },
    setting: turning === null ? null : { file: turning.settings.shown, now: turning.values, namesOf: turning.knobs.version },
    answer: answerSentences({ agent: { turning, ...agent }, ...decision }, { pays }),
    options: optionSentences({ agent: { turning, ...agent }, ...decision }),
  }));
  // A plan has no proxy.
  return figuresJson({ formatVersion: JSON_VERSION, decisions: plain }, "program", ...(pays === "plan" ? ["proxy"] : []));
}

/** The payment, the habits and the source of the prices, beside the decisions. */
interface AdviceSource {
  readonly pays?: Payment;
  readonly habits?: readonly string[];
  readonly source?: string;
}

/** The advice as one HTML page that needs no network: the answer, then each decision with its settings, the lines to paste, and the content of the requests. */
export function adviceHtml(
  decisions: readonly Decision[],
  { pays = "tokens", habits = [], source = "" }: AdviceSource = {},
): string {
  const agents = advisedAgents(decisions);
  const sentences = decisions.flatMap((decision) =>
    answerSentences(decision, { pays }).map((text) => [decision, text] as const),
  );
  const main = html`<h1>Compaction: its cost, and advice</h1>
<section class="answer" aria-label="The answer"><p class="pick">${spentSentence(decisions, pays, source)}</p>
<ul>${sentences.map(([decision, text]) => html`<li><b>${decisionTitle(decision, pays)}</b>. ${text}</li>`)}</ul></section>
${problemList(adviceProblems(agents))}
${decisions.map((decision, index) => decisionSection(decision, index, pays))}
${decisions.some(hasTable) ? html`<p class="note">${MEASURE_READING} ${ROW_READING}</p>` : html``}
${habits.length === 0 ? html`` : html`<h2>The most expensive habits in these logs</h2><ul>${habits.map((text) => html`<li>${text}</li>`)}</ul>`}
<ul>${[...agents.map(sourceText), ...(source === "" ? [] : [source])].map((text) => html`<li class="note">${text}</li>`)}</ul>
<p class="note">${decisions.some(({ choice }) => pays === "tokens" && choice?.rows.some(({ kind }) => kind === "proxy")) ? html`<code>${agents[0]?.program ?? ""} proxy --help</code> says how to run the proxy. ` : html``}Replays use the recorded replies, so they do not show task success.</p>`;
  return renderPage({ title: "Plimsoll: advice on compaction", main, scripts: ["folded-sections.js", "copy-button.js"] });
}

function decisionSection(decision: Decision, index: number, pays: Payment): Markup {
  const title = decisionTitle(decision, pays);
  const { facts, settings, fills, pastes } = decisionWords(decision, { pays, full: true });
  return html`<section aria-label="${title}"><h2>${title}</h2>
${[...facts, ...keptSentences(decision)].map((text) => html`<p class="soft">${text}</p>`)}
${pastes.map(({ label, lines, isPasted }, place) => (isPasted ? pasteBlock({ id: `paste-${index}-${place}`, label, text: lines.join("\n") }) : html`<p>${label}: ${lines.join("; ")}</p>`))}
${settings === null ? html`` : html`<h3>Settings tried</h3><p class="soft">${settings.legend}</p>${table(`settings tried, ${title}`, ["setting", ...SETTING_HEADS], settings.rows)}`}
<h3>Contents of the requests</h3>
${table(`contents of the requests, ${title}`, ["content", ...FILL_HEADS.slice(1)], fills)}</section>`;
}

function table(name: string, heads: readonly string[], rows: readonly (readonly string[])[]): Markup {
  if (rows.length === 0) return html``;
  return html`${scrollFrame(name)}<table class="figures"><thead><tr>${heads.map((head, place) => html`<th class="${place === 0 ? "name" : "wrapped"}" scope="col">${head}</th>`)}</tr></thead><tbody>${rows.map(([label = "", ...cells]) => html`<tr><th class="name" scope="row">${label}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** Heads of figures are broken between words from this width on. */
const HEAD_CHARS = 9;

/** Decisions that are shown whole without `--full`: those with the most dollars. Chosen. */
const SHOWN_DECISIONS = 3;

const prose = (text: string, indent = ""): readonly string[] =>
  wrapped(printable(text), { first: indent, further: `${indent}  ` });

/** Writes the answer, then each decision with its settings, those with the most dollars first. Prose fits 80 columns. */
export function adviceText(
  decisions: readonly Decision[],
  { columns, full, pays = "tokens", habits = [], source = "" }: AdviceSource & Readonly<{ columns: number; full: boolean }>,
): string {
  const shown = full ? decisions : decisions.slice(0, SHOWN_DECISIONS);
  const rest = decisions.slice(shown.length);
  const agents = advisedAgents(decisions);
  const problems = adviceProblems(agents);
  const told = full
    ? problems
    : problems.filter((one, place) => isUnread(one) || problems.findIndex(({ kind }) => kind === one.kind) === place);
  const untold = problems.length - told.length;
  const blocks = [
    prose(spentSentence(decisions, pays, source)).slice(0, 2),
    problemText(told).split("\n"),
    shown.some(hasTable) ? prose(MEASURE_READING) : [],
    ...shown.map((decision) =>
      decisionLines(decision, {
        ...{ columns, pays, full },
        isRead: decision === shown.find(hasTable),
      }),
    ),
    rest.flatMap((decision) => prose(`${decisionTitle(decision, pays)}. ${answerSentences(decision, { pays })[0] ?? ""}`)),
    habits.length === 0
      ? []
      : ["The most expensive habits in these logs:", ...habits.flatMap((text) => prose(`- ${text}`, "  "))],
    [
      ...[...agents.map(sourceText), source].filter((text) => text !== "").flatMap((text) => prose(text)),
      ...(full
        ? []
        : prose(
            `--full or --html FILE shows every decision, and all contents of the requests${untold === 0 ? "" : ` and ${formatNumberOf(untold, "more problem")}`}.`,
          )),
    ],
    // The end is all that a screen still shows.
    ["In short:", ...shortLines(decisions, pays)],
  ];
  return blocks
    .map((lines) => lines.join("\n"))
    .filter((text) => text !== "")
    .join("\n\n");
}

/** The agents of the decisions, each once. */
export function advisedAgents(decisions: readonly Decision[]): readonly AdvisedAgent[] {
  return [...new Set(decisions.map(({ agent }) => agent))];
}

/** Lists the problems that a reader must know before any figure. If there are several agents, each problem has its agent, and an agent's unread parts are one. */
export function adviceProblems(agents: readonly AdvisedAgent[]): readonly ReportProblem[] {
  if (agents.length === 1) return agents.flatMap(({ problems }) => problems);
  return agents.flatMap(({ title, problems }) => {
    const unread = problems.filter(({ kind }) => kind === "not-read").map(({ text }) => text);
    const others = problems.filter(({ kind }) => kind !== "not-read");
    const own = unread.length === 0 ? others : [...others, { kind: "not-read" as const, text: unread.join(" ") }];
    return own.map(({ kind, text }) => ({ kind, text: `${title}: ${text}` }));
  });
}

/** The cost of all sessions in one sentence. */
function spentSentence(decisions: readonly Decision[], pays: Payment, source: string): string {
  const sessions = formatNumberOf(
    sumOf(decisions, ({ cost }) => cost.sessions),
    "session",
  );
  const days = decisions
    .flatMap((decision) => (decision.days === null ? [] : [decision.days.from, decision.days.through]))
    .toSorted();
  const when = days.length === 0 ? "" : `, ${days[0]} to ${days.at(-1)}`;
  const compactions = sumOf(decisions, ({ cost }) => cost.compactions);
  const usd = sumOf(decisions, ({ cost }) => cost.usd ?? 0);
  const least = decisions.every(({ cost }) => cost.usdIs === "whole") ? "" : "at least ";
  const spent =
    usd === 0
      ? "no prices known"
      : `${pays === "plan" ? "list price " : ""}${least}$${formatUsd(usd)}${pays === "plan" || source.includes("your prices") ? "" : " by list prices"}`;
  const part = `${formatNumberOf(compactions, "compaction")} ${pays === "plan" ? "have a list price of" : "cost"} about $${formatUsd(sumOf(decisions, ({ cost }) => cost.compactionUsd ?? 0))}${pricedText(
    sumOf(decisions, ({ cost }) => cost.pricedCompactions),
    compactions,
  )}`;
  return `${sessions}${when}: ${spent}. ${compactions === 0 ? "Nothing was compacted" : `${part}${least === "" ? "" : " (unlogged summaries on top of these dollars)"}`}.`;
}

/** The decisions with the most dollars: what to set, and what the agent's own compactions kept. */
function shortLines(decisions: readonly Decision[], pays: Payment): readonly string[] {
  const titleIn = (decision: Decision) => decisionTitle(decision, pays).replace(": no prices known", "");
  return decisions
    .slice(0, SHOWN_DECISIONS)
    .flatMap((decision) => [`${titleIn(decision)}: ${shortAnswer(decision, pays)}`, ...keptSentences(decision)])
    .flatMap((line) => prose(line));
}

function decisionLines(
  decision: Decision,
  { columns, isRead, ...shown }: Shown & { readonly columns: number; readonly isRead: boolean },
): readonly string[] {
  const { facts, answers, settings, fills, pastes } = decisionWords(decision, shown);
  const table = (heads: readonly string[], rows: readonly (readonly string[])[]) => {
    const shown = rows.map((row) => row.map(printable));
    return drawTable(
      {
        head: [heads.map((each, at) => ({ content: at === 0 ? each : brokenAt(each, HEAD_CHARS) }))],
        rows: shown,
        leftColumns: [0],
      },
      columns,
    ).split("\n");
  };
  return [
    printable(decisionTitle(decision, shown.pays)),
    ...answers.flatMap((text, place) => [
      ...prose(`→ ${text}`, "  "),
      ...pastes
        .filter(({ answer }) => answer === place)
        .flatMap(({ label, lines }) => [...prose(`${label}:`, "    "), ...lines.map((line) => printable(`      ${line}`))]),
    ]),
    ...facts.flatMap((text) => prose(text, "  ")),
    ...(settings === null
      ? []
      : [
          "",
          ...prose(settings.legend),
          ...table(["", ...SETTING_HEADS], settings.rows),
          ...(isRead ? ["", ...prose(ROW_READING)] : []),
        ]),
    ...(fills.length === 0 ? [] : ["", ...table(FILL_HEADS, fills)]),
  ];
}

/** Which logs were read, and where the names of an agent's settings are from. */
export function sourceText({ title, logsRead, logsFound, shared, turning, version, oldestVersion }: AdvisedAgent): string {
  const read =
    logsRead === logsFound
      ? ""
      : `read the newest ${formatCount(logsRead)} of ${formatCount(logsFound)} logs found (--limit ${logsFound} reads all of them); `;
  const names =
    turning === null
      ? "no settings of it are known"
      : `settings checked against the ${turning.knobs.standing === "primary" ? "program" : "docs"} of ${turning.knobs.version}${version === null || version === turning.knobs.version ? "" : `; your logs are from ${oldestVersion === version ? "" : `${oldestVersion} to `}${version}`}`;
  return [`${title}: ${read}${names}.`, lineageWords(shared)].filter((text) => text !== "").join(" ");
}
