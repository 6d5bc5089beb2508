import { windowLabels } from "../judge/policy-summary.ts";
import { columnsOf } from "../metrics/columns.ts";
import { BASELINE_POLICY } from "../metrics/has-acted.ts";
import type { ReplayRow } from "../results.ts";
import { type PackedBlock, packBlock } from "./page.ts";
import type { ShownReport } from "./report-tables.ts";
import { createCellFigures, sessionBlock } from "./session-block.ts";
import { sessionNames } from "./session-names.ts";
import { triggerLine } from "./trigger.ts";

/** The block that the page's script reads first; each session has a block of its own. */
export interface ChartIndex {
  readonly sessions: readonly string[];
  readonly windows: readonly string[];
  readonly policies: readonly ChartPolicy[];
  readonly figures: readonly { readonly name: string; readonly format: "count" | "tokens" | "percent" | "usd" }[];
  /** The session in which most was compacted: the one to look at first. */
  readonly busiestSession: number;
  /** For each window the policies (by index) whose lines are drawn before a reader chooses. */
  readonly shown: readonly (readonly number[])[];
  /** For each window the policy to look at first. */
  readonly picked: readonly number[];
}

/** A policy's name and the number of its colour; 0 is the baseline's. If colours come round again, lines are dashed. */
interface ChartPolicy {
  readonly name: string;
  readonly colour: number;
  readonly round: number;
}

/** The blocks of a page: the index, and one for each session, in their order. */
export interface ChartBlocks {
  readonly index: ChartIndex;
  readonly blocks: readonly PackedBlock[];
}

/** Makes the charts' data: the more rows a report has, the fewer points each keeps, so that a page of 50 sessions stays below 3 MB. */
export function chartBlocks(shown: ShownReport): ChartBlocks {
  const { report, metrics } = shown;
  const bySession = new Map<string, ReplayRow[]>();
  for (const row of report.rows) bySession.set(row.session, [...(bySession.get(row.session) ?? []), row]);
  const made = {
    windows: windowLabels(report),
    triggers: report.policies.map(({ policy }) => triggerLine(policy)),
    mostPoints: Math.min(POINTS.most, Math.max(POINTS.least, Math.floor(PAGE_POINTS / Math.max(1, report.rows.length)))),
    figuresOf: createCellFigures(metrics),
  };
  const index = chartIndex(shown);
  const sessions = report.sessions.map(({ session }, place) =>
    packBlock(`session-${place}`, sessionBlock(report, { ...made, rows: bySession.get(session) ?? [] })),
  );
  return { index, blocks: [packBlock("chart-index", index), ...sessions] };
}

/** Points of lines on one page, all together (chosen: a point takes about three characters, packed). */
const PAGE_POINTS = 120_000;
const POINTS = { least: 80, most: 800 } as const;

function chartIndex({ report, judged, metrics, policyName }: ShownReport): ChartIndex {
  const names = report.policies.map(({ name }) => name);
  const placesOf = (policies: readonly string[]) => policies.map((name) => names.indexOf(name));
  const windows = judged.windows.map(({ named, answers, summaries }) => {
    const acting = summaries.findLast(({ isActing }) => isActing)?.policy;
    const picked = named[0]?.policy ?? acting ?? names.at(-1) ?? "";
    const placed = [...named, ...answers.flatMap((answer) => answer.placed)].map(({ policy }) => policy);
    const wanted = [...new Set([BASELINE_POLICY, picked, ...placed])].filter((name) => names.includes(name));
    return { picked, shown: names.length <= MOST_LINES ? names : wanted.slice(0, MOST_LINES) };
  });
  const compactions = new Map<string, number>();
  for (const { session, metrics: own } of report.rows)
    compactions.set(session, (compactions.get(session) ?? 0) + (own?.economy.compactions ?? 0));
  const sessions = report.sessions.map(({ session }) => session);
  const most = sessions.reduce((best, session) => Math.max(best, compactions.get(session) ?? 0), 0);
  return {
    sessions: sessions.map(sessionNames(report)),
    windows: windowLabels(report),
    policies: policyColours(names).map((each) => ({ ...each, name: policyName(each.name) })),
    figures: columnsOf(metrics, "chart").map(({ title, format }) => ({ name: title, format })),
    busiestSession: Math.max(
      0,
      sessions.findIndex((session) => (compactions.get(session) ?? 0) === most),
    ),
    shown: windows.map(({ shown }) => placesOf(shown)),
    picked: windows.map(({ picked }) => Math.max(0, names.indexOf(picked))),
  };
}

/** Lines that are drawn before a reader chooses (chosen: as many as the policies that a bench takes by itself). */
const MOST_LINES = 6;
/** Colours that the style sheet has beside the baseline's. */
const COLOUR_COUNT = 8;

/** The colour of each policy, the same in every chart of a page. */
function policyColours(policies: readonly string[]): readonly ChartPolicy[] {
  const others = policies.filter((name) => name !== BASELINE_POLICY);
  return policies.map((name) => {
    const position = others.indexOf(name);
    if (position < 0) return { name, colour: 0, round: 0 };
    return { name, colour: 1 + (position % COLOUR_COUNT), round: Math.floor(position / COLOUR_COUNT) };
  });
}
