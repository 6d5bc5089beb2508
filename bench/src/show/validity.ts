import { LISTED_ERROR_PERCENT } from "../metrics/cache-validity.ts";
import type { MetricMeaning } from "../metrics/metric.ts";
import type { RecordedDollars, SessionDescription } from "../open/session-description.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import { sumOf } from "../statistics.ts";
import { formatNumberOf, formatPercent, formatTokens, formatUsd } from "./figures.ts";
import type { SessionNames } from "./session-names.ts";
import { type Column, fact, numberColumn, type ReportTable, tableOf, textColumn } from "./table.ts";

/** From this difference on, in percent of a log's figure, both figures are printed. */
const TOLD_PERCENT = 1;

/**
 * Says how much sessions cost by list prices, or the person's, of the usage that they report; beside it the cost that logs state by themselves, if it differs by more
 * than one percent from these prices of the same sessions. `null` if nothing could be priced and no log states anything.
 */
export function recordedUsdText(sessions: readonly RecordedDollars[]): string | null {
  const stating = sessions.filter(({ statedCostUsd }) => statedCostUsd !== null);
  const stated = sumOf(stating, ({ statedCostUsd }) => statedCostUsd ?? 0);
  const usdOf = ({ recordedUsd }: RecordedDollars) => recordedUsd ?? 0;
  const isWhole = sessions.every(({ recordedUsdIs }) => recordedUsdIs === "whole");
  const percent = stated === 0 ? 0 : (100 * (sumOf(stating, usdOf) - stated)) / stated;
  const isTold = Math.abs(percent) > TOLD_PERCENT;
  const states = `${stating.length === 1 ? "its log says" : `${formatNumberOf(stating.length, "log")} say`} $${formatUsd(stated)}`;
  const unpriced = [...new Set(sessions.flatMap(({ unpricedModels = [] }) => unpricedModels))];
  const missing = unpriced.length === 0 ? "" : `no price is known for ${unpriced.join(", ")}`;
  if (sessions.every(({ recordedUsd }) => recordedUsd === null)) {
    const nothing = missing === "" ? "no prices known" : missing;
    return stated === 0 ? (missing === "" ? null : missing) : `${nothing}; ${states}`;
  }
  const by = sessions.some(({ hasOwnPrices }) => hasOwnPrices) ? "" : " by list prices";
  const least = `${isWhole ? "" : "at least "}$${formatUsd(sumOf(sessions, usdOf))}${by}`;
  const whole = missing === "" ? least : `${least} (${missing})`;
  return isTold ? `${whole}; ${states} (${percent > 0 ? "+" : ""}${formatPercent(percent)}%)` : whole;
}

/** Says in one sentence how many US dollars the recorded usage cost, for use beside figures of replays; an empty list if unknown. */
export function recordedUsdLines({ sessions }: Pick<BenchReport, "sessions">): readonly string[] {
  const usd = recordedUsdText(sessions);
  return usd === null ? [] : [`Recorded usage: ${usd}. All other dollars are modelled by replays.`];
}

/** One recording against the replay of its own requests; errors are computed less reported, in percent of it, `null` if either is not known. */
interface Validity {
  readonly session: SessionDescription;
  readonly windowTokens: number | null;
  readonly errors: Readonly<Record<ErrorKind, number | null>>;
  /** The cause of most of the difference, or which calls have no price. */
  readonly cause: string;
}

type ErrorKind = keyof typeof ERRORS;

/** The errors that a recording allows to compute, each with the compared figures. */
const ERRORS = {
  dollars: [
    "dollars",
    "The reported requests as they are charged here, against their reported reads and writes at the same prices.",
  ],
  rules: [
    "dollars by cache rules",
    "The same if the cache followed its provider's rules, without calls that found it cold within its time.",
  ],
  sizes: ["prompt sizes", "Mean error of the size model, fitted on the even calls and scored on the odd ones."],
  reads: ["cache reads", "Tokens read from the prompt cache, by the replay of the recorded requests."],
  writes: ["cache writes", "Tokens written to the prompt cache, by the replay of the recorded requests."],
  stated: ["known prices", "The reported usage by list prices or `--prices`, against the prices that the log states."],
} as const;
const KINDS: readonly ErrorKind[] = ["dollars", "rules", "sizes", "reads", "writes", "stated"];

/** Every session of the run; one without reports of sizes, or whose recorded requests were not replayed, has few errors. */
function validities(report: BenchReport): readonly Validity[] {
  const recorded = new Map<string, ReplayRow>();
  const windows = new Map<string, number>();
  for (const row of report.rows) {
    if (row.policy === "recorded" && row.metrics !== null && !recorded.has(row.session)) recorded.set(row.session, row);
    if (row.window.kind === "real") windows.set(row.session, row.window.tokens);
  }
  return report.sessions.map((session): Validity => {
    const metrics = session.isEstimated ? null : (recorded.get(session.session)?.metrics ?? null);
    const { cacheValidity: cache = null, dollarValidity: dollars = null } = metrics ?? {};
    const { unpricedCalls = 0, unpricedModels = [] } = metrics?.cost ?? {};
    const unpriced =
      unpricedCalls === 0 ? null : `no price for ${unpricedModels.join(", ")}: ${formatNumberOf(unpricedCalls, "call")}`;
    return {
      session,
      windowTokens: windows.get(session.session) ?? session.ownWindowTokens,
      errors: {
        dollars: dollars?.errorPercent ?? null,
        rules: dollars?.ruledErrorPercent ?? null,
        sizes: session.isEstimated ? null : session.sizeJudge.mapePercent,
        reads: errorOf(cache?.reportedReadTokens, cache?.computedReadTokens),
        writes: errorOf(cache?.reportedWriteTokens, cache?.computedWriteTokens),
        stated: session.recordedUsdIs === "whole" ? errorOf(session.statedCostUsd, session.recordedUsd) : null,
      },
      cause: [unpriced, dollars?.cause ?? cache?.cause ?? null].filter((each) => each !== null).join("; "),
    };
  });
}

function errorOf(stated: number | null | undefined, computed: number | null | undefined): number | null {
  if (typeof stated !== "number" || typeof computed !== "number" || stated <= 0) return null;
  return (100 * (computed - stated)) / stated;
}

/** Compares the figures with the recordings' reports: a line an error, its middle and its largest. */
export function validityLines(report: BenchReport): readonly string[] {
  const all = validities(report);
  const lines = KINDS.flatMap((kind) => {
    const known = all
      .flatMap(({ errors }) => errors[kind] ?? [])
      .map(Math.abs)
      .toSorted((a, b) => a - b);
    if (known.length === 0) return [];
    const [middle, largest] = [known[Math.floor((known.length - 1) / 2)] ?? null, known.at(-1) ?? null];
    return [
      `${ERRORS[kind][0]}, ${formatNumberOf(known.length, "recording")}: median error ${formatPercent(middle)}%, largest ${formatPercent(largest)}%`,
    ];
  });
  const estimated = report.sessions.filter(({ isEstimated }) => isEstimated).length;
  return [
    ...recordedUsdLines(report),
    ...lines,
    ...(all.some(({ errors }) => errors.dollars !== null)
      ? []
      : ["For errors of dollars and cache, replay what was recorded: -p recorded"]),
    ...(estimated === 0 ? [] : [`${formatNumberOf(estimated, "session")} without reported sizes: replayed on estimates`]),
  ];
}

/** Each session with its recording's figures, and the error of the replay of its requests. */
export function sessionTable(report: BenchReport, nameOf: SessionNames): ReportTable {
  const rows = validities(report);
  const places = new Map(rows.map((row, place) => [row, place]));
  return tableOf({
    title: "Sessions, and how reliable the figures are",
    notes: validityLines(report),
    rowTitle: "session",
    columns: SESSION_COLUMNS,
    rows,
    nameOf: ({ session }) => nameOf(session.session),
    sessionOf: (row) => places.get(row) ?? 0,
  });
}

function ofRecording(title: string, meaning: MetricMeaning, value: (row: Validity) => number | null): Column<Validity> {
  return numberColumn({ group: "of the recording", title, meaning, value, format: formatTokens });
}

const SESSION_COLUMNS: readonly Column<Validity>[] = [
  textColumn("format", ({ session }) => session.format),
  textColumn("model", ({ session }) => session.modelIds.join(", ")),
  ofRecording(
    "messages",
    fact("messages", "Messages of the recording.", "Some are moved or added because no provider accepts them as recorded."),
    ({ session }) => session.messages,
  ),
  ofRecording("calls", fact("calls", "Model calls of the recording."), ({ session }) => session.calls),
  ofRecording("largest prompt", fact("tokens", "The largest reported prompt."), ({ session }) =>
    session.isEstimated ? null : session.maxReportedPromptTokens,
  ),
  ofRecording(
    "compactions",
    fact("compactions", "Number of times that the recorded agent replaced its own history."),
    ({ session }) => session.recordedBoundaries,
  ),
  ofRecording("real window", fact("tokens", "The replay's window, else the recording's."), ({ windowTokens }) => windowTokens),
  ...KINDS.map((kind) =>
    numberColumn<Validity>({
      group: "error, %",
      title: ERRORS[kind][0],
      meaning: {
        unit: "% of the reported",
        better: "lower",
        method: ERRORS[kind][1],
        caveat: "Errors of single calls may cancel out within a session.",
      },
      value: ({ errors }) => errors[kind],
      format: formatPercent,
      isBad: ({ errors }) => Math.abs(errors[kind] ?? 0) > LISTED_ERROR_PERCENT,
    }),
  ),
  textColumn("cause", ({ cause }) => cause),
];
