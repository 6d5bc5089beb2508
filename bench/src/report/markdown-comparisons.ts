import { BASELINE_POLICY } from "../metrics/relative.ts";
import type { BenchReport, PairedDifference, Tally } from "../results.ts";
import { FEWEST_OWNERS } from "../statistics.ts";
import { differenceText, groupOf, shareOf, signedPoints } from "./comparison-columns.ts";
import { overWords, type WindowComparison } from "./comparisons.ts";
import { formatPercent, formatRatioPercent, NO_FIGURE } from "./figures.ts";
import { curveShare, FEWEST_CURVE_USES } from "./html-decay.ts";
import { capitalised, commonFolder } from "./labels.ts";
import { losingCases } from "./losing-cases.ts";
import { escaped, markdownTable } from "./markdown-table.ts";
import { COST_FIGURE, vectorPoints } from "./paired-differences.ts";
import { CHEATS } from "./policy-choice.ts";
import type { PolicySummary } from "./policy-summary.ts";

/** So many losing cases are listed; all are counted (chosen). */
const LISTED_CASES = 20;

/** Shows the losses of policies, before anything else: sessions lost, tied and won, and the dearest cases. */
export function losingPart(report: BenchReport, comparisons: readonly WindowComparison[]): readonly string[] {
  const shown = comparisons.filter(({ policies }) => policies.length > 0);
  if (shown.length === 0) return [];
  const head = [
    "policy",
    "acted in",
    `cost against ${BASELINE_POLICY}`,
    `held against ${BASELINE_POLICY}`,
    "held against its tail",
  ];
  return [
    "### Losing cases first",
    "Of the sessions in which a policy acts, per cent lost / tied / won: in dollars (a thousandth or more), and in what is held word for word (lost: more of its measures are a point or more lower than higher).",
    ...shown.flatMap(({ windowLabel, policies }) => [
      `**${capitalised(windowLabel)}**`,
      markdownTable({
        head,
        rows: policies.map(({ policy, record: { acted, cost, held, heldOverTail } }) => [
          escaped(policy),
          String(acted),
          ...[cost, held, heldOverTail].map(recordText),
        ]),
      }),
    ]),
    ...dearestCases(report),
  ];
}

/** Per cent lost, tied and won, e.g. `13 / 0 / 87`. */
export function recordText(tally: Tally): string {
  if (tally.won + tally.tied + tally.lost === 0) return NO_FIGURE;
  return (["lost", "tied", "won"] as const).map((each) => (100 * (shareOf(tally, each) ?? 0)).toFixed(0)).join(" / ");
}

function dearestCases(report: BenchReport): readonly string[] {
  const cases = losingCases(report);
  if (cases.length === 0) return [];
  const counts = [...new Set(cases.map(({ policy }) => policy))].map(
    (policy) => `${escaped(policy)} ${cases.filter((each) => each.policy === policy).length}`,
  );
  const rows = cases
    .slice(0, LISTED_CASES)
    .map((each) => [escaped(each.session), each.windowLabel, escaped(each.policy), formatRatioPercent(each.costRatio)]);
  return [
    `Cells in which a policy cost more, with a prompt cache, than doing nothing that would have fitted: ${counts.join(", ")}. The worst:`,
    markdownTable({ head: ["session", "window", "policy", "% of none"], rows }),
  ];
}

/** The share of the person's messages that are still there after so many compactions; nothing if nothing was compacted. */
export function curvePart(summaries: readonly PolicySummary[]): readonly string[] {
  const acting = summaries.filter(({ isActing, metrics }) => isActing && metrics.economy.compactions > 0);
  const steps = Math.max(0, ...acting.map(({ metrics }) => metrics.instructions.byCompactions.length));
  if (steps === 0) return [];
  const head = [
    "policy",
    ...Array.from({ length: steps }, (_, step) => (step === steps - 1 ? `${step} and more` : String(step))),
  ];
  return [
    `Instructions held word for word, per cent, by the number of compactions since the message (–: fewer than ${FEWEST_CURVE_USES} needs):`,
    markdownTable({
      head,
      rows: acting.map(({ policy, metrics }) => [
        escaped(policy),
        ...metrics.instructions.byCompactions.map(curveShare).map(formatPercent),
      ]),
    }),
  ];
}

/** Paired differences with intervals, or from too few owners with a row for every session. */
export function differencePart(comparisons: readonly WindowComparison[]): readonly string[] {
  const shown = comparisons.filter(({ policies }) => policies.length > 0);
  if (shown.length === 0) return [];
  return [
    "### Differences to its own tail and to doing nothing",
    ...shown.flatMap((each) => [
      `**${capitalised(each.windowLabel)}.** ${overWords(each)}`,
      differenceTable(each, "tail"),
      differenceTable(each, "none"),
      ...everySession(each),
    ]),
  ];
}

function differenceTable({ policies }: WindowComparison, against: PairedDifference["against"]): string {
  const figures = policies[0]?.differences.filter((each) => each.against === against).map(({ figure }) => figure) ?? [];
  const titles = figures.map((figure) => (figure === COST_FIGURE ? `cost, % of ${BASELINE_POLICY}` : figure));
  const rows = policies.map(({ policy, differences }) => [
    escaped(policy),
    ...figures.map((figure) => differenceText(differences.find((each) => each.figure === figure && each.against === against))),
  ]);
  return markdownTable({ head: [groupOf(against), ...titles], rows });
}

/** A row a session and a cell a policy, which keeps many policies short; the measures one by one are in the page and the JSON report. */
function everySession({ outcomes, policies }: WindowComparison): readonly string[] {
  if ((policies[0]?.owners ?? 0) >= FEWEST_OWNERS) return [];
  const shown = [...outcomes.byPolicy].filter(([policy]) => !CHEATS.has(policy));
  const folder = commonFolder(outcomes.sessions);
  const rows = outcomes.sessions.map((session, place) => [
    escaped(session.slice(folder.length)),
    ...shown.map(([, byPlace]) => {
      const outcome = byPlace[place];
      if (outcome === undefined) return NO_FIGURE;
      const points = (["tail", "none"] as const).map((against) => signedPoints(vectorPoints(outcome, against)));
      return `${(100 * outcome.costRatio).toFixed(0)}; ${points.join("; ")}`;
    }),
  ]);
  return [
    `Every session: cost in % of ${BASELINE_POLICY}; points of the vector's mean over its own tail; over ${BASELINE_POLICY}.`,
    markdownTable({ head: ["session", ...shown.map(([policy]) => escaped(policy))], rows }),
  ];
}
