import { NONE_POLICY, type Policy } from "@plimsoll/core";
import { BUILT_IN_KINDS, type Kinds } from "@plimsoll/core/extend";
import { SAME_COST_RATIO } from "../metrics/vector.ts";
import { policyAt } from "../sweep/grid.ts";
import { paretoFront } from "./pareto.ts";
import {
  lossesAgainst,
  type MeasureLoss,
  type PolicyScore,
  pooledScore,
  type SessionScore,
  type Sureness,
  scoresByPolicy,
  surenessOf,
} from "./score.ts";
import { type FiledRow, type Split, splitSessions } from "./split.ts";
import {
  COARSE_COUNT,
  coarseSettings,
  fineSettings,
  type SettingValue,
  settingWords,
  type TunableSetting,
  tunableSettingsOf,
} from "./tunable-settings.ts";

/** One round of replays that the tuner asks for: policies over the sessions of these names, or over all sessions if `sessions` is `null`. */
export interface TuneRound {
  readonly name: "baseline" | "coarse grid" | "refinement" | "test";
  readonly policies: readonly Policy[];
  readonly sessions: ReadonlySet<string> | null;
}

/** Runs the replays of a round, all in one window, and resolves to their rows. Rows of other sessions may be among them. */
export type ReplayRound = (round: TuneRound) => Promise<readonly FiledRow[]>;

/** A setting with its scores on the sessions that it was chosen on (`train`), and on the others (`test`). */
export interface TunedPolicy {
  readonly policy: Policy;
  readonly settings: readonly SettingValue[];
  readonly train: TunedScore;
  readonly test: TunedScore;
}

/** The score of a setting, and the needs of which it holds less than the current one on the same sessions. */
export interface TunedScore extends PolicyScore {
  readonly losses: readonly MeasureLoss[];
}

/** The tuner's result for one policy. */
export interface TuneResult {
  readonly base: string;
  /** The unit that the two halves do not share. */
  readonly splitBy: Split["by"];
  readonly trainSessions: number;
  readonly testSessions: number;
  readonly idleSessions: number;
  /** The policy as it was. */
  readonly current: TunedPolicy;
  /** Settings without an overflow on the training sessions that no other beats in both cost and kept content (the mean of all measures), cheapest first. */
  readonly front: readonly TunedPolicy[];
  /**
   * The cheapest setting that is worse on no measure of the vector than the current one and costs at most 5 % more; if there is none, the one of the
   * front that holds most, with what it loses. `null` if every setting overflowed.
   */
  readonly best: TunedPolicy | null;
  /** The comparison of best and current on the sessions that neither was chosen on; `null` without a best, or with too few projects. */
  readonly sureness: Sureness | null;
  /** Every setting that was tried, the current one too, in the order of the grid. Only what was chosen has figures of the other half. */
  readonly tried: readonly TunedPolicy[];
  /** The figures of the current setting and the best in each session; none without a best. */
  readonly sessions: readonly TunedSession[];
}

/** One session under the current setting and under the best. */
export interface TunedSession {
  readonly session: string;
  /** Whether the setting was chosen on it. */
  readonly isTrain: boolean;
  readonly current: PolicyScore;
  readonly best: PolicyScore;
}

/** A policy that is tuned, with every setting that was tried. */
interface Candidate {
  readonly base: Policy;
  readonly tunable: readonly TunableSetting[];
  readonly tried: readonly TriedPolicy[];
}

interface TriedPolicy {
  readonly policy: Policy;
  readonly settings: readonly SettingValue[];
}

/**
 * Searches for better settings: replays a coarse grid for every policy, and a finer one around the best of the first policy, on one half of the
 * sessions; then the best of each on the other half. The other policies are there for comparison. The result has one entry for each policy
 * that has a number to change; it is empty if no policy has one.
 */
export async function tune(
  [own, ...others]: readonly Policy[],
  replay: ReplayRound,
  kinds: Kinds = BUILT_IN_KINDS,
): Promise<readonly TuneResult[]> {
  const baseline = await replay({ name: "baseline", policies: [NONE_POLICY], sessions: null });
  const split = splitSessions(baseline);
  const candidates = [own, ...others].flatMap((base) => (base === undefined ? [] : coarseCandidate(base, kinds)));
  if (candidates.length === 0) return [];
  const policies = candidates.flatMap(({ tried }) => tried.map(({ policy }) => policy));
  const rows = [...baseline, ...(await replay({ name: "coarse grid", policies, sessions: split.train }))];
  const [tuned] = candidates;
  if (tuned !== undefined && tuned.base === own) {
    const fine = refined(tuned, { split, rows, kinds });
    rows.push(...(await replay({ name: "refinement", policies: fine.map(({ policy }) => policy), sessions: split.train })));
    candidates[0] = { ...tuned, tried: [...tuned.tried, ...fine] };
  }
  const chosen = new Map<string, Policy>();
  for (const candidate of candidates) {
    const { current, front, best } = choose({ candidate, split }, rows);
    // Of the policies for comparison only the best is shown.
    const shown = [current, ...(best === null ? [] : [best]), ...(candidate.base === own ? front : [])];
    for (const { policy } of shown) chosen.set(policy.name, policy);
  }
  if (split.test !== split.train)
    rows.push(...(await replay({ name: "test", policies: [...chosen.values()], sessions: split.test })));
  return candidates.map((candidate) => resultOf({ candidate, split }, rows));
}

function coarseCandidate(base: Policy, kinds: Kinds): readonly Candidate[] {
  const tunable = tunableSettingsOf(base);
  if (tunable.length === 0) return [];
  const tried = coarseSettings(tunable).map((settings) => ({
    policy: policyAt(base, settings.map(settingWords), kinds).policy,
    settings,
  }));
  return [{ base, tunable, tried: [{ policy: base, settings: [] }, ...tried.filter(({ policy }) => !isSame(policy, base))] }];
}

/** Settings around the best that were not tried yet. */
function refined(
  candidate: Candidate,
  { split, rows, kinds }: Pick<Choice, "split"> & { rows: readonly FiledRow[]; kinds: Kinds },
): readonly TriedPolicy[] {
  const { base, tunable, tried } = candidate;
  const known = [...tried];
  const { best } = choose({ candidate, split }, rows);
  if (best === null) return [];
  for (const settings of fineSettings(tunable, wholeSettings(best, tunable))) {
    const { policy } = policyAt(base, settings.map(settingWords), kinds);
    if (!known.some((other) => isSame(other.policy, policy))) known.push({ policy, settings });
  }
  return known.slice(tried.length);
}

/** The values of all settings of the coarse grid: those of the policy as it was are not among its settings. */
function wholeSettings({ settings }: TunedPolicy, tunable: readonly TunableSetting[]): readonly SettingValue[] {
  return settings.length > 0
    ? settings
    : tunable.slice(0, COARSE_COUNT).flatMap(({ path, own }) => (own === null ? [] : [{ path, value: own }]));
}

function isSame(one: Policy, other: Policy): boolean {
  return JSON.stringify({ ...one, name: "" }) === JSON.stringify({ ...other, name: "" });
}

interface Choice {
  readonly candidate: Candidate;
  readonly split: Split;
}

type Chosen = Pick<TuneResult, "current" | "front" | "best" | "tried">;

/** The front on the training sessions, and the setting of it to take. */
function choose({ candidate, split }: Choice, rows: readonly FiledRow[]): Chosen {
  const scores = scoresByPolicy(rows);
  const scoreOver = ({ name }: Policy, wanted: ReadonlySet<string>): PolicyScore =>
    pooledScore((scores.get(name) ?? []).filter(({ session }) => wanted.has(session)));
  const scored = ({ policy, settings }: TriedPolicy): TunedPolicy => {
    const over = (wanted: ReadonlySet<string>): TunedScore => {
      const own = scoreOver(policy, wanted);
      return { ...own, losses: lossesAgainst(own, scoreOver(candidate.base, wanted)) };
    };
    return { policy, settings, train: over(split.train), test: over(split.test) };
  };
  const all = candidate.tried.filter(({ policy }) => scores.has(policy.name)).map(scored);
  const current = scored({ policy: candidate.base, settings: [] });
  const safe = all.filter(({ train }) => train.overflows === 0 && !train.isBroken);
  const front = paretoFront(safe.map((tuned) => ({ ...tuned, cost: tuned.train.cost, gain: tuned.train.gain })));
  const asGood = safe.filter(({ train }) => train.losses.length === 0 && train.cost <= current.train.cost * SAME_COST_RATIO);
  const [cheapest] = asGood.toSorted((a, b) => a.train.cost - b.train.cost || (b.train.gain ?? 0) - (a.train.gain ?? 0));
  return { current, front, best: cheapest ?? front.at(-1) ?? null, tried: all };
}

function resultOf(choice: Choice, rows: readonly FiledRow[]): TuneResult {
  const { candidate, split } = choice;
  const chosen = choose(choice, rows);
  const scores = scoresByPolicy(rows);
  const heldOut = (policy: Policy): readonly SessionScore[] =>
    (scores.get(policy.name) ?? []).filter(({ session }) => split.test.has(session));
  const { best } = chosen;
  return {
    base: candidate.base.name,
    splitBy: split.by,
    trainSessions: split.train.size,
    testSessions: split.test.size,
    idleSessions: split.idleSessions,
    ...chosen,
    sureness: best === null ? null : surenessOf(heldOut(best.policy), heldOut(candidate.base)),
    sessions: best === null ? [] : sessionsOf(scores.get(candidate.base.name) ?? [], scores.get(best.policy.name) ?? [], split),
  };
}

function sessionsOf(
  current: readonly SessionScore[],
  best: readonly SessionScore[],
  { train }: Split,
): readonly TunedSession[] {
  const bestOf = new Map(best.map((score) => [score.session, score]));
  return current.flatMap((score) => {
    const own = bestOf.get(score.session);
    if (own === undefined) return [];
    const { session } = score;
    return [{ session, isTrain: train.has(session), current: pooledScore([score]), best: pooledScore([own]) }];
  });
}
