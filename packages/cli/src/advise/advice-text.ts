import { formatCount, formatNumberOf, formatUsd, lineageWords, type ReportProblem } from "@plimsoll/bench/extend";
import { problemText } from "../output/terminal-report.ts";
import { beginningOf, COLUMNS, printable, wrapped } from "../terminal/printable.ts";
import { drawTable } from "../terminal/text-table.ts";
import {
  answerSentences,
  decisionTitle,
  decisionWords,
  FILL_HEADS,
  ROW_READING,
  SETTING_HEADS,
  shortAnswer,
} from "./advice-words.ts";
import type { AdvisedAgent, Decision } from "./decide.ts";

interface AdviceTextOptions {
  readonly columns: number;
  readonly full: boolean;
}

/** Decisions that are shown whole without `--full`: those with the most dollars. Chosen. */
const SHOWN_DECISIONS = 3;

const prose = (text: string, indent = ""): readonly string[] =>
  wrapped(printable(text), { first: indent, further: `${indent}  ` });

/** Writes the answer, then each decision with its settings, those with the most dollars first. Prose fits 80 columns. */
export function adviceText(decisions: readonly Decision[], { columns, full }: AdviceTextOptions): string {
  const shown = full ? decisions : decisions.slice(0, SHOWN_DECISIONS);
  const rest = decisions.slice(shown.length);
  const agents = advisedAgents(decisions);
  const problems = adviceProblems(agents);
  const told = full
    ? problems
    : problems.filter(({ kind }, place) => problems.findIndex((each) => each.kind === kind) === place);
  const untold = problems.length - told.length;
  const blocks = [
    answerLines(decisions),
    problemText(told).split("\n"),
    ...shown.map((decision) => decisionLines(decision, columns)),
    rest.flatMap((decision) => prose(`${decisionTitle(decision)}. ${answerSentences(decision)[0] ?? ""}`)),
    [
      ...(shown.some(({ choice }) => choice !== null) ? prose(ROW_READING) : []),
      ...agents.flatMap((agent) => prose(sourceText(agent))),
      ...(full
        ? []
        : prose(
            `--full or --html FILE shows every decision whole${untold === 0 ? "" : ` and ${formatNumberOf(untold, "more problem")}`}.`,
          )),
    ],
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

/** Lists the problems that a reader must know before any figure, each with its agent if there are several. */
export function adviceProblems(agents: readonly AdvisedAgent[]): readonly ReportProblem[] {
  return agents.flatMap(({ title, problems }) =>
    problems.map(({ kind, text }) => ({ kind, text: agents.length === 1 ? text : `${title}: ${text}` })),
  );
}

/** The answer in at most six lines: what all sessions cost, then the decisions with the most dollars, and the dollars of the others. */
export function answerLines(decisions: readonly Decision[]): readonly string[] {
  const sum = (figure: (decision: Decision) => number) => decisions.reduce((total, decision) => total + figure(decision), 0);
  const sessions = formatNumberOf(
    sum(({ cost }) => cost.sessions),
    "session",
  );
  const days = decisions
    .flatMap((decision) => (decision.days === null ? [] : [decision.days.from, decision.days.through]))
    .toSorted();
  const when = days.length === 0 ? "" : `, ${days[0]} to ${days.at(-1)}`;
  const compactions = sum(({ cost }) => cost.compactions);
  const usd = sum(({ cost }) => cost.usd ?? 0);
  const spent = usd === 0 ? "no prices known" : `$${formatUsd(usd)} by list prices`;
  const part = `${formatNumberOf(compactions, "compaction")} took about $${formatUsd(sum(({ cost }) => cost.compactionUsd ?? 0))} of it`;
  const first = `${sessions}${when}: ${spent}. ${compactions === 0 ? "Nothing was compacted" : part}.`;
  const lines = decisions
    .slice(0, SHOWN_DECISIONS)
    .map((decision) => `${decisionTitle(decision).replace(": no prices known", "")}: ${shortAnswer(decision)}`);
  const restUsd = decisions.slice(SHOWN_DECISIONS).reduce((total, { cost }) => total + (cost.usd ?? 0), 0);
  const rest = restUsd === 0 ? [] : [`Others, below: $${formatUsd(restUsd)}`];
  return [...prose(first).slice(0, 2), ...lines.map((line) => beginningOf(line, COLUMNS)), ...rest];
}

function decisionLines(decision: Decision, columns: number): readonly string[] {
  const { facts, answers, settings, fills, paste } = decisionWords(decision);
  const table = (heads: readonly string[], rows: readonly (readonly string[])[]) => {
    const shown = rows.map((row) => row.map(printable));
    return drawTable({ head: [heads.map((content) => ({ content }))], rows: shown, leftColumns: [0] }, columns).split("\n");
  };
  const [, ...figures] = SETTING_HEADS;
  return [
    printable(decisionTitle(decision)),
    ...facts.flatMap((text) => prose(text, "  ")),
    ...(settings === null ? [] : ["", ...prose(settings.legend), ...table(["", ...figures], settings.rows), ""]),
    ...answers.flatMap((text) => prose(`→ ${text}`, "  ")),
    ...(paste?.lines ?? []).map((line) => printable(`      ${line}`)),
    ...(fills.length === 0 ? [] : ["", ...table(FILL_HEADS, fills)]),
  ];
}

/** Which logs were read, and where the names of an agent's settings are from. */
export function sourceText({ title, logsRead, logsFound, shared, turning }: AdvisedAgent): string {
  const read =
    logsRead === logsFound
      ? ""
      : `read the newest ${formatCount(logsRead)} of ${formatCount(logsFound)} logs (--limit ${logsFound} reads all); `;
  const names =
    turning === null
      ? "none of its settings is known"
      : `the names of its settings are those of version ${turning.knobs.version}, read ${turning.knobs.standing === "primary" ? "in the program itself" : "in documentation and issues, not in source"} on ${turning.knobs.readOn}`;
  return [`${title}: ${read}${names}.`, lineageWords(shared)].filter((text) => text !== "").join(" ");
}
