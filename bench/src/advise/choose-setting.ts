import type { Policy } from "@plimsoll/core";
import { lossesAgainst, type WorseMeasure } from "../judge/choose.ts";
import { judgeSettings, MOST_LOST_POINTS, type SettingVerdict } from "../judge/settings.ts";
import type { JudgedRun, Standing } from "../judge/standing.ts";
import type { KnobValue } from "./agent-knobs.ts";

/** A way to run the agent: as it is set now, by its defaults, with other settings, or as it is behind our proxy. */
export interface SettingPoint {
  readonly kind: "now" | "default" | "candidate" | "proxy";
  /** Changes to the settings file; `null` takes a setting out, so that the agent's default holds. */
  readonly values: ReadonlyMap<string, KnobValue | null>;
  readonly policy: Policy;
}

/** A setting's figures over all sessions that fill half of the window. */
export interface SettingFigures extends Omit<SettingPoint, "policy"> {
  readonly standing: Standing;
  /** The cost divided by the current setting's, both by never compacting and geometric means over sessions; below 1 is cheaper. */
  readonly costRatio: number;
  /** Measures that keep less than under the current setting, by a point at least, the worst first. */
  readonly losses: readonly WorseMeasure[];
  /** Measures that keep more, in the same way. */
  readonly gains: readonly WorseMeasure[];
}

/** Advice on an agent's settings, with the figures that it rests on. */
export interface SettingChoice {
  /** Sessions that fill half of the window; those that share a beginning are one. */
  readonly sessions: number;
  readonly projects: number;
  readonly rows: readonly SettingFigures[];
  /** The verdict on the agent's own settings, and on running the agent behind Plimsoll's proxy. */
  readonly setting: SettingVerdict<SettingFigures>;
  readonly proxy: SettingVerdict<SettingFigures>;
}

/**
 * Compares settings over the sessions that fill half of the window. The rows need the policy `none` and the policy of every point, by their
 * names; the first point is the current setting.
 */
export function chooseSetting([current, ...others]: readonly [SettingPoint, ...SettingPoint[]], run: JudgedRun): SettingChoice {
  const { sessions, projects, over, verdictOn } = judgeSettings(run, current.policy.name);
  const now = over(current.policy.name);
  const rows = [current, ...others].flatMap(({ kind, values, policy }): readonly SettingFigures[] => {
    const standing = over(policy.name);
    if (standing === null || now === null) return [];
    const costRatio = standing.costPercent / now.costPercent;
    return [{ kind, values, standing, costRatio, losses: lossesAgainst(standing, now), gains: lossesAgainst(now, standing) }];
  });
  const verdict = (isOf: (point: SettingPoint) => boolean, mostPoints = MOST_LOST_POINTS) => {
    const given = verdictOn(
      others.filter(isOf).map(({ policy }) => policy.name),
      { mostPoints },
    );
    if (given.kind !== "set" && given.kind !== "trade") return given;
    const best = rows.find(({ standing }) => standing.policy === given.best.policy);
    return best === undefined ? ({ kind: "keep", why: "nothing-cheaper" } as const) : { ...given, best };
  };
  // Who has chosen a setting is offered no second loss.
  const isChosen = others.some(({ kind }) => kind === "default");
  return {
    ...{ sessions, projects, rows },
    setting: verdict(({ kind }) => kind !== "proxy", isChosen ? 0 : MOST_LOST_POINTS),
    proxy: verdict(({ kind }) => kind === "proxy"),
  };
}
