import { VECTOR } from "../judge/vector.ts";
import type { BenchReport, ReportAnswer } from "../results.ts";
import { FEWEST_OWNERS } from "../statistics.ts";
import { type ShownReport, shownReport } from "./report-tables.ts";
import { isAdvised } from "./verdict.ts";

/** Writes a report with its problems and answers as JSON, each entry of a list on its own line, so that you can compare two runs line by line. */
export function renderJsonReport(report: BenchReport): string {
  return [...jsonReportPieces(shownReport(report))].join("");
}

/** Yields the text of {@link renderJsonReport} piece by piece: as one text, a report over some thousand sessions takes more memory than making it. */
export function* jsonReportPieces({ report, problems, windows }: ShownReport): Generator<string, void, void> {
  let opening = "{\n";
  for (const [name, value] of Object.entries({
    ...report,
    problems,
    answers: answersOf(windows),
  })) {
    yield `${opening}${JSON.stringify(name)}: `;
    yield* fieldPieces(value);
    opening = ",\n";
  }
  yield "\n}\n";
}

/** Writes figures as JSON: maps as objects, and without the figures of single sessions (`units`) and these keys. */
export function figuresJson(content: object, ...without: readonly string[]): string {
  const plain = (key: string, value: unknown): unknown => {
    if (key === "units" || without.includes(key)) return undefined;
    return value instanceof Map ? Object.fromEntries(value) : value;
  };
  return `${JSON.stringify(content, plain, 2)}\n`;
}

/** The figures behind the words of the verdict. */
function answersOf(windows: ShownReport["windows"]): readonly ReportAnswer[] {
  return windows.flatMap(({ judged: { windowLabel, units, answers, named, now }, lines: [says = ""] }) =>
    answers.map(({ summaries, placed, choice, sureness }) => ({
      window: windowLabel,
      summaries,
      sessions: units.length,
      pick: choice.pick?.policy ?? null,
      sessionsNeeded: FEWEST_OWNERS,
      isRecommended: choice.pick !== null && choice.pick === named[0] && isAdvised({ choice, sureness }, choice.pick, now),
      firstPercent: sureness === null ? null : 100 * sureness.again,
      says,
      policies: placed.map(({ policy, costPercent, rereadPercent, costMoreIn, usd, gain, farGain, lostRequests, shares }) => ({
        ...{ policy, costPercent, rereadPercent, costMoreIn, usd, heldPercent: gain, heldFarPercent: farGain },
        measures: VECTOR.map(({ name }, place) => {
          const percent = shares[place]?.own ?? null;
          return { measure: name, percent, why: percent === null ? "no such need is visible in these sessions" : null };
        }),
        lostRequests,
      })),
    })),
  );
}

function* fieldPieces(value: unknown): Generator<string, void, void> {
  if (!Array.isArray(value) || value.length === 0) {
    yield JSON.stringify(value);
    return;
  }
  let opening = "[\n";
  for (const entry of value) {
    yield `${opening}${JSON.stringify(entry)}`;
    opening = ",\n";
  }
  yield "\n]";
}
