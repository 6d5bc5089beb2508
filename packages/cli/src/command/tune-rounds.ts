import { type BenchInput, type ReplayRound, runBench, type TuneRound } from "@plimsoll/bench";
import { formatNumberOf } from "@plimsoll/bench/internal";
import type { CliIo } from "../io.ts";
import { createProgressBar } from "../terminal/progress-bar.ts";

const MS_PER_MINUTE = 60_000;
/** Less than this is not worth a line (chosen). */
const WORTH_SAYING_MS = 45_000;
/** What a policy that acts takes of what the first round took for none, which also imports the files (measured on 19 files, November 2026). */
const ACTING_RATIO = 1.1;

const ROUNDS: readonly TuneRound["name"][] = ["baseline", "coarse grid", "refinement", "test"];

/**
 * Replays the tuner's rounds on the pool, with a bar for each. What the first round took tells how long the others will: where that is long, it
 * is said in a line.
 */
export function replayRounds(run: Omit<BenchInput, "policies">, io: CliIo): ReplayRound {
  const fileOf = new Map<string, string>();
  let sessionMs: number | null = null;
  return async ({ name, policies, sessions }) => {
    const files = run.files.filter(({ displayName }) => sessions === null || holdsOneOf(sessions, displayName, fileOf));
    const startMs = io.nowMs();
    const bar = createProgressBar(io.stderr, `tuning, step ${ROUNDS.indexOf(name) + 1} of ${ROUNDS.length}: ${name}`);
    if (sessionMs !== null && name === "coarse grid")
      sayHowLong(sessionMs * ACTING_RATIO * files.length * policies.length, policies.length, io);
    try {
      const { sessions: found, rows } = await runBench({ ...run, files, policies, calibrates: false, onProgress: bar.show });
      for (const { session, file } of found) fileOf.set(session, file);
      if (name === "baseline") sessionMs = (io.nowMs() - startMs) / Math.max(1, files.length);
      // Scores need no chart.
      return rows.map((row) => ({
        file: fileOf.get(row.session) ?? row.session,
        row: { ...row, series: [], compactions: [], cacheMisses: [] },
      }));
    } finally {
      bar.stop();
    }
  };
}

function holdsOneOf(sessions: ReadonlySet<string>, file: string, fileOf: ReadonlyMap<string, string>): boolean {
  return [...sessions].some((session) => fileOf.get(session) === file);
}

/** The rounds behind the grid take about as long again as a third of it. */
const LATER_ROUNDS_RATIO = 4 / 3;

function sayHowLong(gridMs: number, policies: number, io: CliIo): void {
  const wholeMs = gridMs * LATER_ROUNDS_RATIO;
  if (wholeMs < WORTH_SAYING_MS) return;
  const minutes = Math.max(1, Math.round(wholeMs / MS_PER_MINUTE));
  const settings = formatNumberOf(policies, "setting");
  io.stderr.write(
    `plimsoll: ${settings} to try, about ${formatNumberOf(minutes, "minute")}; broken off, it goes on where it was\n`,
  );
}
