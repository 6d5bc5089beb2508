import type { ReplayRow } from "../results.ts";

/** One session's row with the file that it is from: sessions of one file are not independent of each other. */
export interface FiledRow {
  readonly file: string;
  readonly row: ReplayRow;
}

/** The halves that settings are chosen on and tested on. With one file both are that one. */
export interface Split {
  readonly train: ReadonlySet<string>;
  readonly test: ReadonlySet<string>;
  /** Sessions that never fill half of the window: no setting that is tried does anything there. */
  readonly idleSessions: number;
}

/** Triggers below this share of the input budget are not tried. */
const LOWEST_TRIGGER_RATIO = 0.5;

/**
 * Splits the sessions in which something can happen, told by what they come to without compaction. Every second file is tested on, in the order of their
 * calls, so that both halves have small and large ones.
 */
export function splitSessions(baseline: readonly FiledRow[]): Split {
  const played = baseline.filter(({ row }) => row.metrics !== null);
  const able = played.filter(({ row: { metrics, inputBudgetTokens } }) => {
    return (metrics?.economy.peakPromptTokens ?? 0) > inputBudgetTokens * LOWEST_TRIGGER_RATIO;
  });
  const calls = new Map<string, number>();
  for (const { file, row } of able) calls.set(file, (calls.get(file) ?? 0) + (row.metrics?.safety.calls ?? 0));
  const files = [...calls.keys()].toSorted((a, b) => (calls.get(b) ?? 0) - (calls.get(a) ?? 0) || (a < b ? -1 : 1));
  const trainFiles = new Set(files.filter((_, place) => place % 2 === 0));
  const sessionsOf = (wanted: (file: string) => boolean) =>
    new Set(able.flatMap(({ file, row }) => (wanted(file) ? [row.session] : [])));
  const train = sessionsOf((file) => trainFiles.has(file));
  const test = sessionsOf((file) => !trainFiles.has(file));
  return { train, test: test.size === 0 ? train : test, idleSessions: played.length - able.length };
}
