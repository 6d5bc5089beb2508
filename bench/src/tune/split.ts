import { originOf } from "../origin.ts";
import type { ReplayRow } from "../results.ts";

/** The row of one session's replay, with the file that it is from or that its shared beginning is from: sessions of one file or beginning are not independent. */
export interface FiledRow {
  readonly file: string;
  /** The first session of those that share its beginning; left out if it shares nothing. */
  readonly lineage?: string | undefined;
  readonly row: ReplayRow;
}

/** The halves that settings are chosen on and tested on. With one file both are that one. */
export interface Split {
  /** The unit that stays whole: repositories, or files if all sessions are of one repository; nothing if all are of one file. */
  readonly by: "repository" | "file" | "nothing";
  readonly train: ReadonlySet<string>;
  readonly test: ReadonlySet<string>;
  /** Sessions that never fill half of the window: no setting that is tried does anything there. */
  readonly idleSessions: number;
}

/** Triggers below this share of the input budget are not tried. */
const LOWEST_TRIGGER_RATIO = 0.5;

/**
 * Splits the sessions in which something can happen, told by what they come to without compaction. Every second repository is tested on, in the
 * order of their calls, so that both halves have small and large ones; of sessions of one repository every second file.
 */
export function splitSessions(baseline: readonly FiledRow[]): Split {
  const played = baseline.filter(({ row }) => row.metrics !== null);
  const able = played.filter(({ row: { metrics, inputBudgetTokens } }) => {
    return (metrics?.economy.peakPromptTokens ?? 0) > inputBudgetTokens * LOWEST_TRIGGER_RATIO;
  });
  const repositoryOf = ({ file }: FiledRow) => originOf(file).repository;
  const by = new Set(able.map(repositoryOf)).size > 1 ? "repository" : "file";
  const groupOf = by === "repository" ? repositoryOf : ({ file }: FiledRow) => file;
  const calls = new Map<string, number>();
  for (const filed of able)
    calls.set(groupOf(filed), (calls.get(groupOf(filed)) ?? 0) + (filed.row.metrics?.safety.calls ?? 0));
  const groups = [...calls.keys()].toSorted((a, b) => (calls.get(b) ?? 0) - (calls.get(a) ?? 0) || (a < b ? -1 : 1));
  const trainGroups = new Set(groups.filter((_, place) => place % 2 === 0));
  const sessionsOf = (isTrain: boolean) =>
    new Set(able.flatMap((filed) => (trainGroups.has(groupOf(filed)) === isTrain ? [filed.row.session] : [])));
  const [train, test] = [sessionsOf(true), sessionsOf(false)];
  if (test.size === 0) return { by: "nothing", train, test: train, idleSessions: played.length - able.length };
  return { by, train, test, idleSessions: played.length - able.length };
}
