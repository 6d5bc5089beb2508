import { NONE_POLICY, type Policy } from "@plimsoll/core";
import { BUILT_IN_KINDS, type Kinds, option } from "@plimsoll/core/extend";
import { z } from "zod";
import { choose as chooseAmong, isCheaper } from "../judge/choose.ts";
import { type JudgedSettings, judgeSettings, type SettingVerdict } from "../judge/settings.ts";
import { type Split, splitSessions } from "../judge/split.ts";
import { type JudgedRun, type Standing, standingOver } from "../judge/standing.ts";
import { windowLabel } from "../judge/window-label.ts";
import { FEWEST_OWNERS } from "../statistics.ts";
import { isSamePolicy, policyAt } from "../sweep/grid.ts";
import {
  COARSE_COUNT,
  coarseSettings,
  type SettingValue,
  settingsAround,
  settingsBeside,
  settingWords,
  type TunableSetting,
  tunableSettingsOf,
} from "./tunable-settings.ts";

/** One round of replays that the tuner asks for: policies over the sessions of these names, or over all sessions if `sessions` is `null`. */
export interface TuneRound {
  readonly name: "baseline" | "coarse grid" | "refinement" | "test";
  readonly policies: readonly Policy[];
  readonly sessions: ReadonlySet<string> | null;
  /** About how many replays are left, with those of this round; `null` in the first round, which shows the usable sessions. */
  readonly replaysLeft: number | null;
}

/** Runs the replays of a round, all in one window, and resolves to their rows and sessions. Rows of other sessions may be among them. */
export type ReplayRound = (round: TuneRound) => Promise<JudgedRun>;

/** A setting's standing on the sessions that it was chosen on (`train`), and on the others (`test`). */
export interface TunedPolicy {
  readonly policy: Policy;
  readonly settings: readonly SettingValue[];
  readonly train: Standing;
  readonly test: Standing;
}

/** The tuner's result for one policy. */
export interface TuneResult {
  readonly base: string;
  /** The unit that the two halves do not share. */
  readonly splitBy: Split["by"];
  readonly trainSessions: number;
  readonly testSessions: number;
  readonly idleSessions: number;
  readonly windowLabel: string;
  /** The policy as it was. */
  readonly current: TunedPolicy;
  /** Settings with no more requests too large on the training sessions that no other beats in both cost and kept content (the mean of all measures), cheapest first. */
  readonly front: readonly TunedPolicy[];
  /** The cheapest setting that is a twentieth cheaper than the current one on the training sessions and worse on no measure; `null` if there is none. */
  readonly best: TunedPolicy | null;
  /** The verdict over both halves; `advise` comes to its own in the same way. */
  readonly verdict: SettingVerdict;
  /** Every setting that was tried, the current one too, in the order of the grid. Only chosen ones have figures of the other half. */
  readonly tried: readonly TunedPolicy[];
  /** The standing of the current setting and the best in each session; none without a best. */
  readonly sessions: readonly TunedSession[];
}

/** One session under the current setting and under the best. */
export interface TunedSession {
  readonly session: string;
  /** Whether the setting was chosen on it. */
  readonly isTrain: boolean;
  readonly current: Standing;
  readonly best: Standing;
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

const TUNING = z.strictObject({ policies: z.array(option.object), replay: option.fn, kinds: option.object });

/** So large a part of the grid is judged on the other half, about (chosen). */
const JUDGED_RATIO = 1 / 3;

/**
 * Searches for better settings of the first policy: replays a coarse grid on one half of the sessions, then settings around its best, and the best on
 * the other half. It stops after the grid if the other half is too small to confirm a setting. The other policies are replayed as they are, for
 * comparison. The result has an entry for each policy; none if the first has no number to change.
 */
export async function tune(
  [own, ...others]: readonly Policy[],
  replay: ReplayRound,
  kinds: Kinds = BUILT_IN_KINDS,
): Promise<readonly TuneResult[]> {
  option.check("a tuning", TUNING, { policies: [own, ...others], replay, kinds });
  const tunable = own === undefined ? [] : tunableSettingsOf(own);
  if (own === undefined || tunable.length === 0) return [];
  const baseline = await replay({ name: "baseline", policies: [NONE_POLICY], sessions: null, replaysLeft: null });
  const split = splitSessions(baseline);
  const { train, test } = split;
  const rows = [...baseline.rows];
  const run = () => ({ sessions: baseline.sessions, rows });
  const round = async (name: TuneRound["name"], policies: readonly Policy[], half: "train" | "test", later = 0) => {
    const replaysLeft = policies.length * split[half].size + later;
    rows.push(...(await replay({ name, policies, sessions: split[half], replaysLeft })).rows);
  };
  const alone = (base: Policy): Candidate => ({ base, tunable, tried: [{ policy: base, settings: [] }] });
  const grid = withSettings(alone(own), coarseSettings(tunable), kinds);
  const isJudged = test.size >= FEWEST_OWNERS;
  const further = isJudged ? settingsAround(tunable, wholeSettings({ settings: [] }, tunable)).length : 0;
  const judged = test === train ? 0 : Math.ceil(grid.tried.length * JUDGED_RATIO) * test.size;
  const first = [...grid.tried.map(({ policy }) => policy), ...others];
  await round("coarse grid", first, "train", further * train.size + judged);
  const tuned = isJudged ? withRefinement(grid, run(), kinds) : grid;
  const fine = tuned.tried.slice(grid.tried.length).map(({ policy }) => policy);
  if (fine.length > 0) await round("refinement", fine, "train", judged);
  const { current, front, best } = chosenFrom(tuned, judgeSettings(run(), own.name));
  const shown = [current, ...(best === null ? [] : [best]), ...front].map(({ policy }) => policy);
  if (test !== train) await round("test", [...new Set([...shown, ...others])], "test");
  return [tuned, ...others.map(alone)].map((candidate) => resultOf(candidate, run()));
}

/** The candidate with settings that it did not try yet. */
function withSettings(candidate: Candidate, points: readonly (readonly SettingValue[])[], kinds: Kinds): Candidate {
  const tried = [...candidate.tried];
  for (const settings of points) {
    const { policy } = policyAt(candidate.base, settings.map(settingWords), kinds);
    if (!tried.some((other) => isSamePolicy(other.policy, policy))) tried.push({ policy, settings });
  }
  return { ...candidate, tried };
}

/** Adds settings around the best, or around the current one. Values between those of the grid are left out if none of the grid saves a twentieth. */
function withRefinement(grid: Candidate, run: JudgedRun, kinds: Kinds): Candidate {
  const { tunable } = grid;
  const { current, best, tried } = chosenFrom(grid, judgeSettings(run, grid.base.name));
  const settings = wholeSettings(best ?? current, tunable);
  const saves = tried.some(({ train }) => isCheaper(train, current.train));
  return withSettings(grid, (saves ? settingsAround : settingsBeside)(tunable, settings), kinds);
}

/** The values of all settings of the coarse grid: those of the policy as it was are not among its settings. */
function wholeSettings(
  { settings }: Pick<TunedPolicy, "settings">,
  tunable: readonly TunableSetting[],
): readonly SettingValue[] {
  return settings.length > 0
    ? settings
    : tunable.slice(0, COARSE_COUNT).flatMap(({ path, own }) => (own === null ? [] : [{ path, value: own }]));
}

type Chosen = Pick<TuneResult, "current" | "front" | "best" | "tried">;

/** The front on the training sessions, and the setting of it to take. */
function chosenFrom({ base, tried }: Candidate, judged: JudgedSettings): Chosen {
  const scored = ({ policy, settings }: TriedPolicy): TunedPolicy => {
    const over = (half: "train" | "test") => judged.over(policy.name, half) ?? standingOver(policy.name, [], false);
    return { policy, settings, train: over("train"), test: over("test") };
  };
  const all = tried.filter(({ policy }) => judged.over(policy.name, "train") !== null).map(scored);
  const current = scored({ policy: base, settings: [] });
  const tunedOf = ({ policy }: Standing) => all.filter((each) => each.policy.name === policy);
  const choice = chooseAmong(
    all.map(({ train }) => train),
    { current: current.train },
  );
  const [best = null] = choice.pick === null ? [] : tunedOf(choice.pick);
  return { current, front: choice.front.flatMap(tunedOf), best, tried: all };
}

function resultOf(candidate: Candidate, run: JudgedRun): TuneResult {
  const judged = judgeSettings(run, candidate.base.name);
  const chosen = chosenFrom(candidate, judged);
  const { split } = judged;
  const policies = chosen.best === null ? [] : [chosen.best.policy.name];
  return {
    base: candidate.base.name,
    splitBy: split.by,
    trainSessions: split.train.size,
    testSessions: split.test.size,
    idleSessions: split.idleSessions,
    windowLabel: windowLabel(run.rows[0]?.window ?? { kind: "real" }),
    ...chosen,
    verdict: onEnough(judged.verdictOn(policies), chosen.current.test),
    sessions: chosen.best === null ? [] : sessionsOf(chosen.current, chosen.best),
  };
}

/** No verdict is firm on fewer sessions than an interval needs, of those that it is judged on: the other half chose the setting. */
function onEnough(verdict: SettingVerdict, { units }: Standing): SettingVerdict {
  const missing = FEWEST_OWNERS - new Set(units.map(({ file }) => file)).size;
  if (missing <= 0 || verdict.kind === "idle") return verdict;
  return { kind: "too-few", missing };
}

function sessionsOf(current: TunedPolicy, best: TunedPolicy): readonly TunedSession[] {
  return (["train", "test"] as const).flatMap((half) =>
    current[half].units.flatMap((unit, place) => {
      const own = best[half].units[place];
      const isOnce = half === "train" || current.train.units.every(({ session }) => session !== unit.session);
      if (own === undefined || !isOnce) return [];
      return [
        {
          session: unit.session,
          isTrain: half === "train",
          current: standingOver(current.policy.name, [unit], current[half].isBroken),
          best: standingOver(best.policy.name, [own], best[half].isBroken),
        },
      ];
    }),
  );
}
