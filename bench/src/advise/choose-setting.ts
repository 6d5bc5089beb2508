import type { Policy } from "@plimsoll/core";
import { SAME_COST_RATIO } from "../metrics/vector.ts";
import { originOf } from "../origin.ts";
import type { Interval } from "../statistics.ts";
import { FEWEST_OWNERS } from "../statistics.ts";
import type { MeasureLoss, PolicyScore, SessionScore } from "../tune/score.ts";
import { lossesAgainst, pooledScore, scoresByPolicy, surenessOf } from "../tune/score.ts";
import { type FiledRow, splitSessions } from "../tune/split.ts";
import type { KnobValues } from "./agent-knobs.ts";

/** Fewer sessions that fill half of the window say nothing about the next one; as many as intervals need owners (docs/evidence.md). */
export const FEWEST_SESSIONS: number = FEWEST_OWNERS;

/** Fewer sessions that agree with each other do not even lean to a setting; chosen. */
const FEWEST_LEANING_SESSIONS = 3;

/** A setting that is tried: what the file would have besides what it has, and the agent with it. */
export interface SettingPoint {
  readonly values: KnobValues;
  readonly policy: Policy;
}

/** A setting with what it came to over all sessions that fill half of the window. */
export interface SettingFigures extends SettingPoint {
  readonly score: PolicyScore;
  /** Its cost as a share of the current setting's. */
  readonly costRatio: number;
  /** Measures of which it holds less than the current one. */
  readonly losses: readonly MeasureLoss[];
}

/** The verdict of the replays on a person's setting. */
type SettingVerdict =
  /** No session fills half of the window: whatever the setting, nothing happens. */
  | { readonly kind: "idle" }
  /** `leaning`: what cost more in none of three sessions at least, was cheaper and lost nothing in all together; `null` if nothing was. It is no proof. */
  | { readonly kind: "too-few"; readonly leaning: SettingFigures | null }
  /** Nothing is worth changing: no setting is cheaper by a twentieth at no loss, or the other half of the sessions does not say so. */
  | { readonly kind: "keep"; readonly why: "nothing-better" | "not-confirmed" }
  | { readonly kind: "change"; readonly best: SettingFigures; readonly costRatio: Interval };

/** A verdict with what it rests on. */
export interface SettingChoice {
  /** Sessions that fill half of the window, and those that do not. */
  readonly sessions: number;
  readonly idleSessions: number;
  /** The units that are drawn anew for the interval. */
  readonly drawn: "projects" | "sessions";
  /** The current setting, then the others in the order in which they were given. */
  readonly figures: readonly SettingFigures[];
  readonly verdict: SettingVerdict;
}

/**
 * Looks for a setting that costs less than the current one by a twentieth at least and holds no measure of the vector less by a point: chosen on one
 * half of the sessions, confirmed on the other. The rows are those of doing nothing and of every setting, by the names of their policies.
 */
export function chooseSetting(
  current: SettingPoint,
  others: readonly SettingPoint[],
  rows: readonly FiledRow[],
): SettingChoice {
  const split = splitSessions(rows.filter(({ row }) => row.policy === "none"));
  const able = new Set([...split.train, ...split.test]);
  const scores = scoresByPolicy(rows, "expiring");
  const over = ({ policy }: SettingPoint, wanted: ReadonlySet<string>): readonly SessionScore[] =>
    (scores.get(policy.name) ?? []).filter(({ session }) => wanted.has(session));
  const figuresOver = (point: SettingPoint, wanted: ReadonlySet<string>): SettingFigures => {
    const [score, now] = [pooledScore(over(point, wanted)), pooledScore(over(current, wanted))];
    return { ...point, score, costRatio: score.cost / now.cost, losses: lossesAgainst(score, now) };
  };
  const figures = [current, ...others].map((point) => figuresOver(point, able));
  const fileOf = new Map(rows.map(({ file, row }) => [row.session, file]));
  const files = new Set([...able].map((session) => fileOf.get(session) ?? session));
  const clusters = new Set([...files].map((file) => originOf(file).repository)).size;
  const drawn = clusters >= FEWEST_SESSIONS ? "projects" : "sessions";
  const found = { sessions: files.size, idleSessions: split.idleSessions, drawn, figures } as const;
  if (able.size === 0) return { ...found, verdict: { kind: "idle" } };
  if (files.size < FEWEST_SESSIONS) {
    const [now, ...tried] = figures;
    const leaning = now === undefined || files.size < FEWEST_LEANING_SESSIONS ? null : leaningOf(now, tried, scores);
    return { ...found, verdict: { kind: "too-few", leaning } };
  }
  const [best] = others
    .map((point) => figuresOver(point, split.train))
    .filter((point) => isBetter(point, figuresOver(current, split.train)))
    .toSorted((a, b) => a.costRatio - b.costRatio);
  if (best === undefined) return { ...found, verdict: { kind: "keep", why: "nothing-better" } };
  const isConfirmed = isBetter(figuresOver(best, split.test), figuresOver(current, split.test));
  const ownCluster = (file: string) => ({ repository: file, owner: file });
  const sure = surenessOf(over(best, able), over(current, able), drawn === "sessions" ? ownCluster : undefined);
  if (!isConfirmed || sure === null || sure.costRatio.through >= 1)
    return { ...found, verdict: { kind: "keep", why: "not-confirmed" } };
  return { ...found, verdict: { kind: "change", best: figuresOver(best, able), costRatio: sure.costRatio } };
}

/** The cheapest setting that is better over all of too few sessions and costs more in none; `null` if none is. */
function leaningOf(
  now: SettingFigures,
  tried: readonly SettingFigures[],
  scores: ReadonlyMap<string, readonly SessionScore[]>,
): SettingFigures | null {
  const costs = new Map(scores.get(now.policy.name)?.map(({ session, costRatio }) => [session, costRatio]));
  const isCheaperInAll = ({ policy }: SettingFigures) =>
    (scores.get(policy.name) ?? []).every(({ session, costRatio }) => costRatio <= (costs.get(session) ?? 0));
  const [cheapest] = tried
    .filter((point) => isBetter(point, now) && isCheaperInAll(point))
    .toSorted((a, b) => a.costRatio - b.costRatio);
  return cheapest ?? null;
}

function isBetter({ costRatio, losses, score }: SettingFigures, current: SettingFigures): boolean {
  return (
    !score.isBroken && costRatio * SAME_COST_RATIO <= 1 && losses.length === 0 && score.overflows <= current.score.overflows
  );
}
