import type { Estimate } from "./statistics.ts";
import { FEWEST_CLUSTERS } from "./statistics.ts";
import type { Prediction, RateChange, Validation } from "./validation.ts";

/** A validation as Markdown: what happens after compactions, then which measures predict it; what predicts nothing is said so. */
export function validationMarkdown({ sessions, rates, predictions }: Validation): string {
  return [
    "# What real compactions show",
    "",
    `${sessions} recorded sessions. Rates in the calls before and after each compaction, and around places of the same sessions at which nothing happened.`,
    `Intervals: 95 %, whole repositories drawn anew; none is given for fewer than ${FEWEST_CLUSTERS} repositories.`,
    "",
    "| agent | what is counted | compactions | before | after | after / before | around control places |",
    "|---|---|---|---|---|---|---|",
    ...rates.map(rateRow),
    "",
    "## Which measures predict it",
    "",
    "A case's score is what the recorded context lacked of what the measure asks for. An area of 0.5 predicts nothing.",
    "",
    "| outcome | measure | cases | came about if held | if missing | risk ratio | area under the curve | says |",
    "|---|---|---|---|---|---|---|---|",
    ...predictions.map(predictionRow),
    "",
  ].join("\n");
}

function rateRow({ agent, rate, compactions, controls, before, after, ratio, controlRatio }: RateChange): string {
  return cells([
    agent,
    rate,
    `${compactions}`,
    shown(before, 3),
    shown(after, 3),
    estimate(ratio),
    `${estimate(controlRatio)} (${controls})`,
  ]);
}

function predictionRow({ outcome, measure, cases, held, missing, riskRatio, area, predicts }: Prediction): string {
  return cells([
    outcome,
    measure,
    `${cases}`,
    `${held.happened} of ${held.cases}`,
    `${missing.happened} of ${missing.cases}`,
    estimate(riskRatio),
    estimate(area),
    predicts === null ? "too few repositories to say" : predicts ? "predicts" : "**predicts nothing**",
  ]);
}

function estimate({ value, interval }: Estimate): string {
  const range = interval === null ? "" : ` [${shown(interval.from, 2)}, ${shown(interval.through, 2)}]`;
  return `${shown(value, 2)}${range}`;
}

function shown(value: number | null, digits: number): string {
  return value === null ? "–" : value.toFixed(digits);
}

function cells(texts: readonly string[]): string {
  return `| ${texts.join(" | ")} |`;
}
