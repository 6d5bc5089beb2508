import { type Estimate, FEWEST_OWNERS } from "../statistics.ts";
import type { Prediction } from "./prediction-figures.ts";
import type { RateChange, RateCount } from "./rates.ts";
import type { SummaryScore } from "./summary-figures.ts";
import type { Validation } from "./validation.ts";

/** One table of a validation, as texts: the same on the terminal, in Markdown and on a page. At most 80 columns wide. */
export interface ValidationTable {
  readonly title: string;
  /** The notes before the table. */
  readonly notes: readonly string[];
  readonly head: readonly string[];
  /** The first cell of each is its name; the others are figures. */
  readonly rows: readonly (readonly string[])[];
}

/** All tables, in the order in which they are read. Tables by repository stand only where there are too few owners for intervals. */
export function validationTables(validation: Validation): readonly ValidationTable[] {
  const hasIntervals = validation.rates.some(({ ratio }) => ratio.owners >= FEWEST_OWNERS);
  const all = [
    rateTable(validation),
    ...(hasIntervals ? [] : [repositoryRates(validation)]),
    ...outcomesOf(validation.predictions).map((outcome) => predictionTable(validation, outcome)),
    ...(validation.predictions.some(({ verdict }) => verdict === "unknown") ? [repositoryAreas(validation)] : []),
    ...agentsOf(validation.summaries).map((of) => summaryTable(validation, of)),
    outcomeTable(validation),
  ];
  return all.filter(({ rows }) => rows.length > 0);
}

/** Says which sessions were looked at, and how intervals are made. */
export function validationLead(validation: Validation): readonly string[] {
  const { date, sessions, compactedSessions, repositories, owners, gradedSessions } = validation;
  return [
    `${date}: ${sessions} recorded sessions of ${repositories} repositories and ${owners} owners.`,
    `${compactedSessions} of them were compacted while they were recorded.`,
    gradedSessions === 0
      ? "No recording says what its run came to: nothing is said of success."
      : `${gradedSessions} of them say what their run came to.`,
    `Intervals: 95 %, whole repositories drawn anew; none from fewer than ${FEWEST_OWNERS} owners.`,
  ];
}

function rateTable({ rates }: Validation): ValidationTable {
  return {
    title: "After a real compaction",
    notes: [
      "Up to 30 calls on each side; 2/30: twice in 30 calls, edits or commands.",
      "Controls: the change around places without a compaction, of the same agent and",
      "about as many calls into a session. Above 1: more often after a compaction.",
    ],
    head: ["done again", "cuts", "before", "after", "after/before", "controls", "against them"],
    rows: inGroups(rates, ({ rate }) => rate, rateRow),
  };
}

function rateRow(
  name: string,
  { compactions, before, after, ratio, matched, controlRatio, againstControls }: RateChange,
): readonly string[] {
  const control = `${shown(controlRatio, 2)} (${matched})`;
  const figures = [count(before), count(after), estimate(ratio), control, estimate(againstControls)];
  return [name, String(compactions), ...figures];
}

function repositoryRates({ ratesByRepository }: Validation): ValidationTable {
  return {
    title: "The same by repository",
    notes: ["Too few owners for an interval: these are the rows that there are."],
    head: ["done again", "cuts", "before", "after", "after/before"],
    rows: inGroups(ratesByRepository, ({ rate }) => rate, rateRow).map((cells) => cells.slice(0, 5)),
  };
}

function predictionTable({ predictions }: Validation, outcome: string): ValidationTable {
  const own = predictions.filter((each) => each.outcome === outcome);
  return {
    title: `Does a measure predict that ${outcome}?`,
    notes: [
      "How often it came about if the context held what is asked for, and if it was",
      "missing; 2/30: twice in 30 cases. An area of 0.5 predicts nothing.",
      ...verdicts(own),
    ],
    head: ["measure", "cases", "held", "missing", "risk ratio", "area"],
    rows: inGroups(own, ({ measure }) => measure, predictionRow),
  };
}

function predictionRow(name: string, { cases, held, missing, riskRatio, area }: Prediction): readonly string[] {
  return [
    name,
    String(cases),
    count({ ...held, of: held.cases }),
    count({ ...missing, of: missing.cases }),
    estimate(riskRatio),
    estimate(area),
  ];
}

function outcomeTable({ outcomes }: Validation): ValidationTable {
  return {
    title: "Does a measure predict that the run fails?",
    notes: [
      "Runs that were graded, each with the mean of what was missing. An area of 0.5",
      "predicts nothing. At equal length: over pairs (in brackets) of runs of one agent",
      "in the same third by calls. Only what is above the row of the length says more.",
    ],
    head: ["measure", "runs", "failed", "area", "at equal length"],
    rows: outcomes.map(({ measure, runs, failed, area, areaAtEqualLength, pairs }) => [
      ...[measure, String(runs), String(failed), estimate(area), `${shown(areaAtEqualLength, 2)} (${pairs})`],
    ]),
  };
}

/** One line a verdict, with the measures that have it. */
function verdicts(predictions: readonly Prediction[]): readonly string[] {
  const pooled = predictions.filter(({ of }) => of === "all");
  const named = (verdict: Prediction["verdict"]) =>
    pooled.filter((each) => each.verdict === verdict).map(({ measure }) => measure);
  const lines = [
    ["Predict nothing here", named("predicts nothing")],
    ["Predict it", named("predicts")],
    ["Too few owners to say", named("unknown")],
  ] as const;
  const unmeasured = pooled.filter((each) => each.unmeasured.cases > 0);
  return [
    ...lines.filter(([, measures]) => measures.length > 0).map(([words, measures]) => `${words}: ${measures.join(", ")}.`),
    ...unmeasured.map(({ measure, unmeasured: { cases, happened } }) => {
      return `Left out of ${measure}: ${cases} cases that it asks nothing of (${happened} came about).`;
    }),
  ];
}

function repositoryAreas({ predictionsByRepository }: Validation): ValidationTable {
  return {
    title: "The same by repository",
    notes: [],
    head: ["measure", "cases", "held", "missing", "area"],
    rows: inGroups(
      predictionsByRepository,
      ({ outcome, measure }) => `${outcome}: ${measure}`,
      (name, each) => {
        const [, cases = "", held = "", missing = ""] = predictionRow(name, each);
        return [name, cases, held, missing, shown(each.area.value, 2)];
      },
    ),
  };
}

function summaryTable({ summaries, summaryLengths }: Validation, of: string): ValidationTable {
  const lengths = summaryLengths.find((each) => each.of === of);
  const chars = (writer: "recorded" | "digest" | "digest and facts") => shown(lengths?.meanChars[writer] ?? null, 0);
  return {
    title: `Recorded summaries and our digest: ${of === "all" ? "all agents" : of}`,
    notes: [
      "Of what up to 100 later calls need and was stated before: per cent in the text",
      "alone, mean of sessions. Difference: digest with facts less recorded, points.",
      `Summaries: ${lengths?.compactions ?? 0}; mean characters: recorded ${chars("recorded")}, digest ${chars("digest")}, with facts ${chars("digest and facts")}.`,
    ],
    head: ["measure", "sessions", "uses", "recorded", "digest", "with facts", "difference"],
    rows: summaries.filter((each) => each.of === of).map(summaryRow),
  };
}

const KIND_NAMES = {
  edits: "replaced texts",
  passages: "passages",
  fileInHand: "file in hand",
  instructions: "instructions",
  plan: "plan",
} as const;

function summaryRow({ kind, sessions, uses, mean, withFactsLessRecorded }: SummaryScore): readonly string[] {
  const shares = [percent(mean.recorded), percent(mean.digest), percent(mean["digest and facts"])];
  return [KIND_NAMES[kind], String(sessions), String(uses), ...shares, estimate(withFactsLessRecorded, percent)];
}

/** Rows by what they are about: first that of all, or a row with the name alone; then, indented, those of each agent or repository. */
function inGroups<Row extends { readonly of: string }>(
  rows: readonly Row[],
  groupOf: (row: Row) => string,
  cellsOf: (name: string, row: Row) => readonly string[],
): readonly (readonly string[])[] {
  const groups = [...new Set(rows.map(groupOf))];
  return groups.flatMap((group) => {
    const own = rows.filter((row) => groupOf(row) === group);
    const cells = own.map((row) => cellsOf(row.of === "all" ? group : ` · ${row.of}`, row));
    const isHeaded = own[0]?.of === "all";
    return isHeaded ? cells : [[group, ...(cells[0] ?? []).slice(1).map(() => "")], ...cells];
  });
}

function outcomesOf(predictions: readonly Prediction[]): readonly string[] {
  return [...new Set(predictions.map(({ outcome }) => outcome))];
}

/** All agents first; an only agent is all of them. */
function agentsOf(summaries: readonly SummaryScore[]): readonly string[] {
  const agents = [...new Set(summaries.map(({ of }) => of))];
  return agents.length === 2 ? agents.slice(0, 1) : agents;
}

function estimate(
  { value, interval }: Pick<Estimate, "value" | "interval">,
  format: (value: number | null) => string = (figure) => shown(figure, 2),
): string {
  const range = interval === null ? "" : ` [${format(interval.from)}, ${format(interval.through)}]`;
  return `${format(value)}${range}`;
}

function count({ happened, of }: RateCount): string {
  return `${happened}/${of}`;
}

function percent(ratio: number | null): string {
  return ratio === null ? "–" : (100 * ratio).toFixed(1);
}

function shown(value: number | null, digits: number): string {
  return value === null ? "–" : value.toFixed(digits);
}
