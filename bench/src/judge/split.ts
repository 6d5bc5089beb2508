import { BASELINE_POLICY } from "../metrics/has-acted.ts";
import { originOf } from "../origin.ts";
import type { JudgedRun } from "./standing.ts";

/** The halves that settings are chosen on and tested on. With one file both are that one. */
export interface Split {
  /** The unit that stays whole: repositories, or files and lineages if all sessions are of one repository; nothing if all are of one file. */
  readonly by: "repository" | "file" | "nothing";
  readonly train: ReadonlySet<string>;
  readonly test: ReadonlySet<string>;
  /** Sessions that never fill half of the window: no setting that is tried does anything there. */
  readonly idleSessions: number;
}

/** Triggers below this share of the input budget are not tried. */
const LOWEST_TRIGGER_RATIO = 0.5;

/**
 * Splits the sessions in which something can happen, judged by their size without compaction. Every second repository is tested on, in the order of
 * their calls, so that both halves have small and large ones; of sessions of one repository every second file.
 */
export function splitSessions({ sessions, rows }: JudgedRun): Split {
  const described = new Map(sessions.map((each) => [each.session, each]));
  const played = rows.flatMap(({ session, policy, metrics, inputBudgetTokens }) =>
    policy === BASELINE_POLICY && metrics !== null
      ? [{ session, ...fileIn(session, described.get(session)), metrics, inputBudgetTokens }]
      : [],
  );
  const able = played.filter(
    ({ metrics, inputBudgetTokens }) => metrics.economy.peakPromptTokens > inputBudgetTokens * LOWEST_TRIGGER_RATIO,
  );
  const repositoryOf = ({ file, project }: (typeof able)[number]) => originOf(file, project).repository;
  const by = new Set(able.map(repositoryOf)).size > 1 ? "repository" : "file";
  const groupOf = by === "repository" ? repositoryOf : ({ file }: { readonly file: string }) => file;
  const calls = new Map<string, number>();
  for (const each of able) calls.set(groupOf(each), (calls.get(groupOf(each)) ?? 0) + each.metrics.safety.calls);
  const groups = [...calls.keys()].toSorted((a, b) => (calls.get(b) ?? 0) - (calls.get(a) ?? 0) || (a < b ? -1 : 1));
  const trainGroups = new Set(groups.filter((_, place) => place % 2 === 0));
  const sessionsOf = (isTrain: boolean) =>
    new Set(able.flatMap((each) => (trainGroups.has(groupOf(each)) === isTrain ? [each.session] : [])));
  const [train, test] = [sessionsOf(true), sessionsOf(false)];
  const idleSessions = played.length - able.length;
  return test.size === 0 ? { by: "nothing", train, test: train, idleSessions } : { by, train, test, idleSessions };
}

function fileIn(session: string, described?: JudgedRun["sessions"][number]) {
  return { file: described?.lineage ?? described?.file ?? session, project: described?.project };
}

/** Names the sessions that fill more than half of the input budget without compaction. */
export function longSessions(run: JudgedRun): ReadonlySet<string> {
  const { train, test } = splitSessions(run);
  return new Set([...train, ...test]);
}
