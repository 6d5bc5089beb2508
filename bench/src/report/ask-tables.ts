import type { AskedContextFigures, AskedPolicy, AskReport, Comparison, ContextDifference } from "../ask/ask-report.ts";
import type { Difference, Share } from "../ask/ask-statistics.ts";
import type { ValidationTable } from "../validate/validation-tables.ts";
import { formatCount, formatNumberOf, formatTokens, NO_FIGURE } from "./figures.ts";
import { windowLabel } from "./labels.ts";

/** The names of the three contexts. */
const CONTEXT_NAMES = { full: "full history", compacted: "compacted", tail: "its tail" } as const;

/** Shows a model's next actions as tables of texts, the same for every output: at most 100 columns wide; each note is a line of any length. */
export function askTables(report: AskReport): readonly ValidationTable[] {
  return [recordedTable(report), differenceTable(report), answersTable(report)].filter(({ rows }) => rows.length > 0);
}

function recordedTable(report: AskReport): ValidationTable {
  const drawn = report.policies.filter(({ drawnCalls }) => drawnCalls > 0);
  return {
    title: "A model asked for the next action",
    notes: [
      `${report.model} was asked what to do next at recorded calls after cuts, in ${windowLabel(report.window)}: with the full recorded history, with what the policy made of it, and with a plain tail that has the policy's size over the session.`,
      "Per cent of answers whose first call agrees with the recorded one: tool, main path, arguments. Words: mean share of words in common. Wilson intervals, 95 %, as if calls were independent.",
      "One action, open loop: the recorded agent was not always right, so agreement is not correctness.",
      ...toolsNotes(report),
      ...report.policies.flatMap(policyNotes),
    ],
    head: ["", "answered", "prompt", "tool", "path", "arguments", "words"],
    rows: drawn.flatMap((policy) => [
      [policy.policy, "", "", "", "", "", ""],
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

function differenceTable({ policies }: AskReport): ValidationTable {
  const all = policies.flatMap(({ policy, differences, drawnCalls }) =>
    drawnCalls === 0 ? [] : differences.map((difference) => ({ policy, difference })),
  );
  return {
    title: "The next action: compacted against the other contexts",
    notes: [
      "Points by which the compacted context's answers agree more often with the recording, over calls at which both were answered; in brackets the calls gained and lost. Intervals are bootstraps over repositories, 95 %; none from fewer than eight owners.",
    ],
    head: ["", "calls", "tool", "path", "arguments"],
    rows: all.map(({ policy, difference }) => differenceRow(policy, difference)),
  };
}

function differenceRow(policy: string, { minus, tool, path, arguments: args }: ContextDifference): readonly string[] {
  return [`${policy} − ${CONTEXT_NAMES[minus]}`, formatCount(tool.calls), ...[tool, path, args].map(difference)];
}

function answersTable({ policies }: AskReport): ValidationTable {
  const all = policies.flatMap(({ policy, comparisons, drawnCalls }) =>
    drawnCalls === 0
      ? []
      : [[policy, "", "", "", "", ""], ...comparisons.filter((each) => each.with !== "recorded").map(answersRow)],
  );
  return {
    title: "The next action: answers compared with each other",
    notes: ["Per cent of calls at which the answers in two contexts agree, whatever the recorded agent did."],
    head: ["", "calls", "tool", "path", "arguments", "words"],
    rows: all,
  };
}

function answersRow(compared: Comparison): readonly string[] {
  const other = compared.with === "recorded" ? compared.with : CONTEXT_NAMES[compared.with];
  return [`  ${CONTEXT_NAMES[compared.of]}, ${other}`, formatCount(compared.calls), ...shares(compared)];
}

function shares(compared: Comparison | undefined): readonly string[] {
  if (compared === undefined) return [NO_FIGURE, NO_FIGURE, NO_FIGURE, NO_FIGURE];
  const { tool, path, arguments: args, overlapRatio } = compared;
  return [...[tool, path, args].map(share), overlapRatio === null ? NO_FIGURE : percent(overlapRatio)];
}

function share({ agreed, of, interval }: Share): string {
  if (of === 0 || interval === null) return NO_FIGURE;
  return `${percent(agreed / of)} [${percent(interval.from)}, ${percent(interval.through)}]`;
}

function difference({ ratio, gained, lost, interval }: Difference): string {
  if (ratio === null) return NO_FIGURE;
  const range = interval === null ? "" : ` [${signed(interval.from)}, ${signed(interval.through)}]`;
  return `${signed(ratio)}${range} (${gained}:${lost})`;
}

/** Per cent with one decimal. */
function percent(ratio: number): string {
  return (100 * ratio).toFixed(1);
}

function signed(ratio: number): string {
  const text = percent(Math.abs(ratio));
  return Number(text) === 0 ? text : `${ratio < 0 ? "−" : "+"}${text}`;
}
