import {
  type AgentKnobs,
  FEWEST_SESSIONS,
  formatCount,
  formatNumberOf,
  formatPercent,
  formatTokens,
  formatUsd,
  heldCell,
  type KnobValues,
  lineageWords,
  NOT_VISIBLE,
  type RecordedCost,
  type ReportProblem,
  type SettingChoice,
  type SettingFigures,
} from "@plimsoll/bench/internal";
import { problemText } from "../output/terminal-report.ts";
import { printable, wrapped } from "../terminal/printable.ts";
import { drawTable } from "../terminal/text-table.ts";
import type { AgentAdvice, LogCounts, Turning } from "./agent-advice.ts";
import { minutesText, shortValues, titleOf, verdictLines } from "./verdict-lines.ts";

const MARGIN = 11;
/** Before the lines of a table. */
const INDENT = "  ";

/** From which day on sessions were read, and how wide tables may be. */
interface AdviceTextOptions {
  readonly since: string;
  readonly columns: number;
}

/** Writes the advice for all agents: the verdict, then each agent by itself, then our own engine. Prose fits 80 columns. */
export function adviceText(advice: readonly AgentAdvice[], { since, columns }: AdviceTextOptions): string {
  const sections = advice.map((one) => agentLines(one, columns).join("\n"));
  const problems = problemText(adviceProblems(advice));
  return [verdictLines(advice, since).join("\n"), problems, ...sections, ownEngineLines(advice).join("\n")]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Lists the problems that a reader must know before any figure, each with its agent if there are several. */
export function adviceProblems(advice: readonly AgentAdvice[]): readonly ReportProblem[] {
  return advice.flatMap((one) =>
    one.problems.map(({ kind, text }) => ({ kind, text: advice.length === 1 ? text : `${titleOf(one)}: ${text}` })),
  );
}

/** A labelled text, broken between words; what settings files hold is outside text. */
function field(label: string, text: string): readonly string[] {
  return wrapped(printable(text), { first: `  ${label.padEnd(MARGIN - 2)}`, further: " ".repeat(MARGIN) });
}

function agentLines(advice: AgentAdvice, columns: number): readonly string[] {
  const { cost, windowTokens, turning } = advice;
  const window = windowTokens === null ? "" : `, window ${formatTokens(windowTokens)}`;
  return [
    `${titleOf(advice)}: ${formatNumberOf(cost.sessions, "session")}${window}`,
    ...readFields(advice.logs),
    ...costFields(advice),
    ...(turning === null ? field("setting", "none that advise knows") : turningLines(turning, columns)),
  ];
}

/** Says that not all logs were read, and how they are, and that some repeat others. */
function readFields({ read, found, shared }: LogCounts): readonly string[] {
  const copies = lineageWords(shared);
  return [
    ...(read === found
      ? []
      : field("read", `the newest ${formatCount(read)} of ${formatCount(found)} logs; --limit ${found} reads all`)),
    ...(copies === "" ? [] : field("copies", copies)),
  ];
}

/** Says how often replies used something after it was gone, as a phrase: a summary may still have named it. */
export function lostText({ neededLater }: Pick<RecordedCost, "neededLater">): string {
  const times = neededLater === 1 ? "once" : `${formatCount(neededLater)} times`;
  return `${times} a reply used a name, path or number after the line that said it was gone`;
}

function costFields({ cost, waitsMs }: AgentAdvice): readonly string[] {
  const whole = cost.usdText ?? "no prices known";
  if (cost.compactions === 0) return field("cost", `${whole}; nothing was compacted`);
  const part = cost.compactionUsd === null ? "" : `; compactions are modelled at $${formatUsd(cost.compactionUsd)} of it`;
  const waited =
    waitsMs.length === 0
      ? "how long you waited is not in the logs"
      : `${minutesText(waitsMs.reduce((sum, ms) => sum + ms, 0))} waited${waitsMs.length === cost.compactions ? "" : ` at ${formatCount(waitsMs.length)} of them`}`;
  const held = cost.held.map(({ what, percent }) => `${formatPercent(percent)} % of ${what}`);
  return [
    ...field("cost", `${whole}${part} (${formatTokens(cost.compactionTokens)} tokens)`),
    ...field(
      "acted",
      `${formatNumberOf(cost.compactions, "compaction")} in ${formatNumberOf(cost.compactedSessions, "session")}; ${waited}`,
    ),
    ...field("lost", lostText(cost)),
    ...(held.length === 0
      ? []
      : field(
          "",
          `in ${cost.compactedSessions === 1 ? "that session" : "those sessions"} there was still, word for word, ${held.join(", ")}`,
        )),
  ];
}

function turningLines(turning: Turning, columns: number): readonly string[] {
  const { knobs, choice, refusal, values, settings } = turning;
  return [
    ...field("now", values.size === 0 ? `nothing set in ${settings.shown}` : `${shortValues(values)} (${settings.shown})`),
    ...(refusal === null ? [] : field("setting", `none proposed: ${refusal}`)),
    ...(choice === null ? [] : [...choiceLines(choice, columns), ...pasteLines(turning, choice)]),
    ...field("names", namesText(knobs)),
  ];
}

/** Which version of an agent the names of its settings are of, and where they were looked up. */
export function namesText({ version, standing, readOn, title }: AgentKnobs): string {
  const source = standing === "primary" ? "from the program itself" : "from documentation and issues, not checked in source";
  return `of ${title} ${version}, ${source}, ${readOn}`;
}

function choiceLines(choice: SettingChoice, columns: number): readonly string[] {
  const { figures, sessions, idleSessions, verdict } = choice;
  if (verdict.kind === "idle") return field("setting", "no session fills half of the window: too short to tell settings apart");
  const best = verdict.kind === "change" ? verdict.best.policy.name : null;
  const rows = figures.map((figure) => rowOf(figure, figure.policy.name === best));
  const head = [["", "cost %", "held", "far", "over"].map((content) => ({ content }))];
  const table = drawTable({ head, rows, leftColumns: [0] }, columns - INDENT.length);
  const idle = idleSessions === 0 ? "" : `; ${formatCount(idleSessions)} shorter ones left out`;
  return [
    "",
    ...table.split("\n").map((line) => `${INDENT}${line}`),
    "",
    ...field(
      "from",
      `${formatNumberOf(sessions, "session")} that ${sessions === 1 ? "fills" : "fill"} half of the window${idle}. cost: of what is set now; held: % of what later calls needed, far: stated 20,000 tokens before; over: rejected calls`,
    ),
  ];
}

function rowOf({ values, costRatio, score }: SettingFigures, isBest: boolean): readonly string[] {
  const name = values.size === 0 ? "as it is" : shortValues(values);
  return [
    isBest ? `${name} *` : name,
    formatPercent(100 * costRatio),
    heldCell(score.gain),
    formatPercent(score.farGain),
    formatCount(score.overflows),
  ];
}

function pasteLines({ knobs, settings }: Turning, choice: SettingChoice): readonly string[] {
  const { verdict, sessions, figures } = choice;
  switch (verdict.kind) {
    case "idle":
      return [];
    case "too-few":
      return [
        ...field("sure", `too few to tell: ${formatCount(sessions)} of the ${FEWEST_SESSIONS} sessions that it takes`),
        ...(verdict.leaning === null ? [] : leaningLines(verdict.leaning, { knobs, settings, sessions })),
      ];
    case "keep":
      return [...field("sure", KEEP_WORDS[verdict.why]), ...tradesText(figures).flatMap((text) => field("trade", text))];
    case "change":
      return [
        ...field("set", `in ${settings.shown}`),
        ...pasteText(knobs.place.form, verdict.best.values).map((line) => `${" ".repeat(MARGIN)}${line}`),
        ...field("sure", sureText(choice)),
      ];
    default:
      return verdict satisfies never;
  }
}

/** How many sessions something rests on. */
interface Sessions {
  readonly sessions: number;
}

/** Says how a setting did that too few sessions lean to, as a phrase. */
export function leaningText(
  { costRatio }: SettingFigures,
  { settings, sessions }: Pick<Turning, "settings"> & Sessions,
): string {
  return `a setting that cost more in none of the ${formatCount(sessions)} and lost nothing in all together: ${formatPercent(100 * (1 - costRatio))} % less; to try by hand in ${settings.shown}: on other sessions such settings mostly stayed cheaper, and lost something`;
}

/** Says which setting few sessions agree on. It is shown to try by hand and never written, as they prove nothing. */
function leaningLines(leaning: SettingFigures, turning: Pick<Turning, "knobs" | "settings"> & Sessions): readonly string[] {
  return [
    ...field("leans to", `${leaningText(leaning, turning)}:`),
    ...pasteText(turning.knobs.place.form, leaning.values).map((line) => `${" ".repeat(MARGIN)}${line}`),
  ];
}

/** Why a setting stays. */
export const KEEP_WORDS = {
  "nothing-better": "nothing is worth changing: no setting is 5 % cheaper without losing a point",
  "not-confirmed": "nothing is worth changing: what looked cheaper on one half was not on the other",
} as const;

/** How sure a change is, as a phrase; empty for no change. */
export function sureText({ verdict, drawn }: SettingChoice): string {
  if (verdict.kind !== "change") return "";
  const percent = (ratio: number) => formatPercent(100 * ratio);
  return `costs ${percent(verdict.costRatio.from)} to ${percent(verdict.costRatio.through)} % of what is set now (95 %, ${drawn} drawn anew); chosen on half of the sessions, confirmed on the other; no measure is a point lower`;
}

/** A twentieth: what a setting must save to be worth a word. */
const WORTH_RATIO = 0.95;

/** Names the trade that a person could make for a lower cost: the cheapest setting that overflows no more than the current one; none if none is cheaper. */
export function tradesText([now, ...others]: readonly SettingFigures[]): readonly string[] {
  const [cheapest] = others
    .filter(({ costRatio, score }) => costRatio <= WORTH_RATIO && score.overflows <= (now?.score.overflows ?? 0))
    .toSorted((a, b) => a.costRatio - b.costRatio);
  if (now === undefined || cheapest === undefined) return [];
  const points = (cheapest.score.gain ?? 0) - (now.score.gain ?? 0);
  const held =
    now.score.gain === null
      ? `what is ${NOT_VISIBLE}`
      : `${formatPercent(Math.abs(points))} points ${points < 0 ? "less" : "more"}`;
  return [
    `yours to make: ${shortValues(cheapest.values)} costs ${formatPercent(100 * (1 - cheapest.costRatio))} % less and holds ${held}`,
  ];
}

/** The setting as the file has it. */
export function pasteText(form: "json" | "toml", values: KnobValues): readonly string[] {
  if (form === "toml") return [...values].map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return [...values].map(([path, value]) => {
    const keys = path.split(".").map((key) => JSON.stringify(key));
    return `${keys.join(": { ")}: ${JSON.stringify(value)}${" }".repeat(keys.length - 1)}`;
  });
}

const OWN_LOOP = "To get it: plimsoll proxy under your agent (see its --help), or plimsoll chat.";

/** Says how our engine would do in the agents' place, an agent each. */
export function ownEngineTexts(advice: readonly AgentAdvice[]): readonly string[] {
  return advice.flatMap((one) => {
    const [now, own] = one.ownEngine?.figures ?? [];
    if (one.ownEngine === null || now === undefined || own === undefined || one.ownEngine.sessions === 0) return [];
    const gain = (own.score.gain ?? 0) - (now.score.gain ?? 0);
    const held = own.score.gain === null ? NOT_VISIBLE : `${gain < 0 ? "−" : "+"}${Math.abs(gain).toFixed(1)} points`;
    const few = one.ownEngine.sessions < FEWEST_SESSIONS ? ", too few to tell" : "";
    return [
      `${titleOf(one)}: ${formatPercent(100 * own.costRatio)} % of the cost, held ${held} (${formatNumberOf(one.ownEngine.sessions, "session")}${few})`,
    ];
  });
}

/** It stands apart, as it is no setting of theirs. */
function ownEngineLines(advice: readonly AgentAdvice[]): readonly string[] {
  const lines = ownEngineTexts(advice).flatMap((text) => wrapped(text, { first: "  ", further: "    " }));
  return lines.length === 0
    ? [OWN_LOOP]
    : ["Apart from all settings: the same sessions with plimsoll's own engine", ...lines, OWN_LOOP];
}
