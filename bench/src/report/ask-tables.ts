import type { AskedContext, AskedContextFigures, AskedPolicy, AskReport, Comparison } from "../ask/ask-report.ts";
import { type Difference, type Share, verdictOf } from "../ask/ask-statistics.ts";
import type { ValidationTable } from "../validate/validation-tables.ts";
import { formatCount, formatNumberOf, formatTokens, NO_FIGURE } from "./figures.ts";
import { windowLabel } from "./labels.ts";

/** Names, for a reader, of the contexts in which a model is asked for its next action. */
export const CONTEXT_NAMES: Readonly<Record<AskedContext, string>> = {
  full: "full history",
  compacted: "compacted",
  again: "asked again",
  tail: "newest messages",
};

/** Shows a model's next actions as tables of texts, the same for every output: at most 100 columns wide; each note is a line of any length. */
export function askTables(report: AskReport): readonly ValidationTable[] {
  return [differenceTable(report), recordedTable(report), answersTable(report)].filter(({ rows }) => rows.length > 0);
}

function recordedTable(report: AskReport): ValidationTable {
  const drawn = report.policies.filter(({ drawnCalls }) => drawnCalls > 0);
  return {
    title: "The next action: each context against the recording",
    notes: [
      "Per cent of answers whose first call is like the recorded one: the same tool, the same main path, the same arguments.",
    ],
    head: ["", "answered", "prompt", "tool", "path", "arguments"],
    rows: drawn.flatMap((policy) => [
      [policy.policy, "", "", "", "", ""],
      ...policy.contexts.map((figures) => recordedRow(policy, figures)),
    ]),
  };
}

function recordedRow({ drawnCalls, comparisons }: AskedPolicy, figures: AskedContextFigures): readonly string[] {
  const found = comparisons.find((each) => each.of === figures.context && each.with === "recorded");
  return [
    `  ${CONTEXT_NAMES[figures.context]}`,
    `${figures.answered}/${drawnCalls}`,
    formatTokens(figures.meanPromptTokens),
    ...shares(found),
  ];
}

/** Where tools and system texts are from, if not from the logs. */
function toolsNotes({ sessions }: AskReport): readonly string[] {
  const made = sessions.filter(({ toolsFrom }) => toolsFrom === "calls").length;
  const silent = sessions.filter(({ hasSystem }) => !hasSystem).length;
  const of = formatNumberOf(sessions.length, "session");
  return [
    ...(made === 0
      ? []
      : [`Of ${formatCount(made)} of ${of} the log has no tool definitions: names and arguments are those of its calls.`]),
    ...(silent === 0 ? [] : [`Of ${formatCount(silent)} of ${of} the log has no system text.`]),
  ];
}

function policyNotes({ policy, openCalls, tooLongCalls, drawnCalls, drawnSessions, contexts }: AskedPolicy): readonly string[] {
  const missing = contexts.flatMap((figures) =>
    figures.missing.map(({ why, calls }) => `${CONTEXT_NAMES[figures.context]} ${calls} ${why}`),
  );
  const tooLong =
    tooLongCalls === 0 ? "" : `; of ${formatNumberOf(tooLongCalls, "other")} the full history does not fit the model`;
  const drawn = `${formatCount(drawnCalls)} of ${formatNumberOf(openCalls, "call")} after cuts, in ${formatNumberOf(drawnSessions, "session")}`;
  return [
    drawnCalls === 0 ? `${policy}: no call to ask about${tooLong}.` : `${policy}: ${drawn}${tooLong}.`,
    ...(missing.length === 0 ? [] : [`${policy}, no answer: ${missing.join(", ")}. They count nowhere.`]),
  ];
}

function differenceTable(report: AskReport): ValidationTable {
  const drawn = report.policies.filter(({ drawnCalls }) => drawnCalls > 0);
  return {
    title: "A model asked for the next action",
    notes: [
      `${report.model} was asked what to do next at recorded calls after cuts, in ${windowLabel(report.window)}: with the full recorded history, with what the policy made of it (twice), and with the newest messages alone, as many as the policy keeps over the session.`,
      "First, the smallest difference that these calls show, in points: it follows from how often the model's answer changes if the same is asked again. Then how much more often the compacted context's answer is like the recorded one; in brackets the 95 % interval over repositories, and the calls gained and lost. Not enough data: a difference of 10 points could go unseen, or the sessions have fewer than eight projects.",
      "One action, and the recorded agent was not always right: agreement is not correctness.",
      ...toolsNotes(report),
      ...report.policies.flatMap(policyNotes),
    ],
    head: ["", "calls", "tool", "path", "arguments"],
    rows: drawn.flatMap(({ policy, differences }) => [
      [policy, "", "", "", ""],
      ...differences.flatMap(({ minus, tool, path, arguments: args }) => [
        [`  shows over ${CONTEXT_NAMES[minus]}`, formatCount(tool.calls), ...[tool, path, args].map(shows)],
        [`  over ${CONTEXT_NAMES[minus]}`, "", ...[tool, path, args].map(difference)],
      ]),
    ]),
  };
}

/** The smallest difference that a sample shows. */
function shows({ detectableRatio }: Difference): string {
  return detectableRatio === null ? NO_FIGURE : `from ${percent(detectableRatio)}`;
}

function answersTable({ policies }: AskReport): ValidationTable {
  const all = policies.flatMap(({ policy, comparisons, drawnCalls }) =>
    drawnCalls === 0
      ? []
      : [[policy, "", "", "", ""], ...comparisons.filter((each) => each.with !== "recorded").map(answersRow)],
  );
  return {
    title: "The next action: answers compared with each other",
    notes: [
      "Per cent of calls at which two answers agree, whatever the recorded agent did. First, the same context asked twice: no two contexts can agree more often than that, but by chance.",
    ],
    head: ["", "calls", "tool", "path", "arguments"],
    rows: all,
  };
}

function answersRow(compared: Comparison): readonly string[] {
  const other = compared.with === "recorded" ? compared.with : CONTEXT_NAMES[compared.with];
  return [`  ${CONTEXT_NAMES[compared.of]}, ${other}`, formatCount(compared.calls), ...shares(compared)];
}

function shares(compared: Comparison | undefined): readonly string[] {
  if (compared === undefined) return [NO_FIGURE, NO_FIGURE, NO_FIGURE];
  const { tool, path, arguments: args } = compared;
  return [tool, path, args].map(share);
}

function share({ agreed, of }: Share): string {
  return of === 0 ? NO_FIGURE : percent(agreed / of);
}

function difference(of: Difference): string {
  const { ratio, gained, lost, interval } = of;
  if (ratio === null) return NO_FIGURE;
  const verdict = verdictOf(of);
  if (verdict === "not-enough-data" || interval === null) return `not enough data (${gained}:${lost})`;
  const range = `[${signed(interval.from)}, ${signed(interval.through)}]`;
  return verdict === "alike" ? `none seen ${range}` : `${signed(ratio)} ${range} (${gained}:${lost})`;
}

/** Per cent with one decimal. */
function percent(ratio: number): string {
  return (100 * ratio).toFixed(1);
}

function signed(ratio: number): string {
  const text = percent(Math.abs(ratio));
  return Number(text) === 0 ? text : `${ratio < 0 ? "−" : "+"}${text}`;
}
