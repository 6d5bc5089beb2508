import type { Policy } from "@plimsoll/core";
import { SAME_COST_RATIO } from "../metrics/vector.ts";
import { originOf } from "../origin.ts";
import { clusteredEstimate, FEWEST_OWNERS, type Interval, type Statistic } from "../statistics.ts";
import { lossesAgainst, type MeasureLoss, pooledScore, type SessionScore, scoresByPolicy } from "../tune/score.ts";
import { type FiledRow, splitSessions } from "../tune/split.ts";
import type { KnobValue } from "./agent-knobs.ts";

/** Least number of sessions that fill half of the window for a firm suggestion; with fewer, none is made. An interval needs as many projects (docs/evidence.md). */
export const FEWEST_SESSIONS: number = FEWEST_OWNERS;

/** Fewer sessions that agree with each other do not even look like an answer; chosen. */
const FEWEST_ALIKE_SESSIONS = 3;

/** A way to run the agent: as it is set now, by its defaults, with other settings, or as it is behind our proxy. */
export interface SettingPoint {
  readonly kind: "now" | "default" | "candidate" | "proxy";
  /** Changes to the settings file; `null` takes a setting out, so that the agent's default holds. */
  readonly values: ReadonlyMap<string, KnobValue | null>;
  readonly policy: Policy;
}

/** A setting with its figures over all sessions that fill half of the window. */
export interface SettingFigures extends Omit<SettingPoint, "policy"> {
  readonly policy: string;
  /** US dollars of the replays; `null` if the model has no price. */
  readonly usd: number | null;
  /** The cost divided by the current setting's; below 1 is cheaper. */
  readonly costRatio: number;
  /** Of what later replies needed, the share that was still in the context, in percent; `null` if nothing shows the needs. */
  readonly keptPercent: number | null;
  /** The same of what was last said 20,000 tokens before or earlier. */
  readonly olderPercent: number | null;
  /** Requests that were larger than the window. */
  readonly overflows: number;
  /** Measures that keep less than under the current setting, by a point at least, the worst first. */
  readonly losses: readonly MeasureLoss[];
  /** True if a part of the policy failed whenever it was tried. */
  readonly isBroken: boolean;
}

/** The verdict of the replays on a group of settings. */
export type SettingVerdict =
  /** No session fills half of the window: whatever the setting, nothing happens. */
  | { readonly kind: "idle" }
  /** `missing`: sessions that are still needed. `looksLike`: a cheaper setting that is dearer in none of at least three sessions and keeps as much; `null` for none. No proof. */
  | { readonly kind: "too-few"; readonly missing: number; readonly looksLike: SettingFigures | null }
  /** Cheaper by a twentieth at least and no measure a point lower, chosen on one half of the sessions and confirmed on the other. */
  | { readonly kind: "set"; readonly best: SettingFigures; readonly costRatio: Interval }
  /** Cheaper by a twentieth at least, and something is lost, or sessions in another window lose (`against`). */
  | { readonly kind: "trade"; readonly best: SettingFigures; readonly against?: string }
  /** `other-window`: sessions in another window decide on the one number that the file has for all. */
  | { readonly kind: "keep"; readonly why: "nothing-cheaper" | "not-confirmed" | "other-window" };

/** Advice on an agent's settings, with the figures that it rests on. */
export interface SettingChoice {
  /** Sessions that fill half of the window; those that share a beginning are one. */
  readonly sessions: number;
  readonly projects: number;
  /** The units that the interval resamples. */
  readonly drawn: "projects" | "sessions";
  readonly rows: readonly SettingFigures[];
  /** The verdict on the agent's own settings, and on running the agent behind Plimsoll's proxy. */
  readonly setting: SettingVerdict;
  readonly proxy: SettingVerdict;
}

/** Names the sessions that fill more than half of the input budget without compaction; it reads the rows of the policy `none`. */
export function longSessions(rows: readonly FiledRow[]): ReadonlySet<string> {
  const split = splitSessions(rows.filter(({ row }) => row.policy === "none"));
  return new Set([...split.train, ...split.test]);
}

/**
 * Compares settings over the sessions that fill half of the window. `rows` need the policy `none` and the policy of every point, by their
 * names; the first point is the current setting.
 */
export function chooseSetting(
  [current, ...others]: readonly [SettingPoint, ...SettingPoint[]],
  rows: readonly FiledRow[],
): SettingChoice {
  const split = splitSessions(rows.filter(({ row }) => row.policy === "none"));
  const able = longSessions(rows);
  const scores = scoresByPolicy(rows.filter(({ row }) => able.has(row.session)));
  const isPriced = rows.every(({ row }) => row.metrics === null || row.metrics.cost.withCacheUsd !== null);
  const over = ({ policy }: SettingPoint, wanted: ReadonlySet<string>): readonly SessionScore[] =>
    (scores.get(policy.name) ?? []).filter(({ session }) => wanted.has(session));
  const figuresOver = (point: SettingPoint, wanted: ReadonlySet<string> = able): SettingFigures => {
    const [own, now] = [over(point, wanted), over(current, wanted)];
    const [score, nowScore] = [pooledScore(own), pooledScore(now)];
    const { kind, values, policy } = point;
    return {
      ...{ kind, values, policy: policy.name, usd: isPriced ? costOf(own) : null, costRatio: costOf(own) / costOf(now) },
      ...{ keptPercent: score.gain, olderPercent: score.farGain, overflows: score.overflows },
      ...{ losses: lossesAgainst(score, nowScore), isBroken: score.isBroken ?? false },
    };
  };
  const nowOf = new Map(over(current, able).map(({ session, cost }) => [session, cost]));
  const files = new Set(over(current, able).map(({ file }) => file));
  const projects = new Set([...files].map((file) => originOf(file).repository)).size;
  const drawn = projects >= FEWEST_SESSIONS ? "projects" : "sessions";
  const verdictOn = (points: readonly SettingPoint[]): SettingVerdict => {
    if (files.size === 0) return { kind: "idle" };
    const now = figuresOver(current);
    if (files.size < FEWEST_SESSIONS) {
      const isAlike = (point: SettingPoint) =>
        over(point, able).every(({ session, cost }) => cost <= (nowOf.get(session) ?? 0));
      const alike = files.size < FEWEST_ALIKE_SESSIONS ? [] : points.filter(isAlike).map((point) => figuresOver(point));
      const [looksLike = null] = cheapestFirst(alike.filter((point) => isBetter(point, now)));
      return { kind: "too-few", missing: FEWEST_SESSIONS - files.size, looksLike };
    }
    const betterOn = (wanted: ReadonlySet<string>) =>
      cheapestFirst(
        points.map((point) => figuresOver(point, wanted)).filter((each) => isBetter(each, figuresOver(current, wanted))),
      );
    const [chosen] = betterOn(split.train);
    const point = points.find(({ policy }) => policy.name === chosen?.policy);
    if (point === undefined) {
      const [best] = cheapestFirst(points.map((each) => figuresOver(each)).filter((each) => isCheaper(each, now)));
      return best === undefined ? { kind: "keep", why: "nothing-cheaper" } : { kind: "trade", best };
    }
    const isConfirmed = betterOn(split.test).some(({ policy }) => policy === chosen?.policy);
    const costRatio = costInterval(over(point, able), nowOf, drawn);
    if (!isConfirmed || costRatio === null || costRatio.through >= 1) return { kind: "keep", why: "not-confirmed" };
    return { kind: "set", best: figuresOver(point), costRatio };
  };
  return {
    ...{ sessions: files.size, projects, drawn },
    rows: files.size === 0 ? [] : [current, ...others].map((point) => figuresOver(point)),
    setting: verdictOn(others.filter(({ kind }) => kind !== "proxy")),
    proxy: verdictOn(others.filter(({ kind }) => kind === "proxy")),
  };
}

const costOf = (scores: readonly SessionScore[]): number => scores.reduce((sum, { cost }) => sum + cost, 0);

const cheapestFirst = (figures: readonly SettingFigures[]): readonly SettingFigures[] =>
  figures.toSorted((a, b) => a.costRatio - b.costRatio);

function isCheaper({ costRatio, isBroken, overflows }: SettingFigures, current: SettingFigures): boolean {
  return !isBroken && costRatio * SAME_COST_RATIO <= 1 && overflows <= current.overflows;
}

function isBetter(figures: SettingFigures, current: SettingFigures): boolean {
  return isCheaper(figures, current) && figures.losses.length === 0;
}

/** The middle 95 % of the pooled cost as a share of the current one's, projects or sessions drawn anew; `null` from too few. */
function costInterval(
  own: readonly SessionScore[],
  current: ReadonlyMap<string, number>,
  drawn: SettingChoice["drawn"],
): Interval | null {
  const pairs = own.map(({ session, file, cost }) => ({ session, lineage: file, cost, now: current.get(session) ?? 0 }));
  const ratio: Statistic<(typeof pairs)[number]> = {
    width: 2,
    add({ cost, now }, sums) {
      sums[0] = (sums[0] ?? 0) + cost;
      sums[1] = (sums[1] ?? 0) + now;
    },
    figure: ([cost = 0, now = 0]) => (now === 0 ? null : cost / now),
  };
  const clusterOf = drawn === "sessions" ? (file: string) => ({ repository: file, owner: file }) : undefined;
  return clusteredEstimate(pairs, ratio, clusterOf).interval;
}
