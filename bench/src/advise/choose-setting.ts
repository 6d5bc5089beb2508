import type { Policy } from "@plimsoll/core";
import { RECORDED_POLICY } from "@plimsoll/core/extend";
import { lossesAgainst, type WorseMeasure } from "../judge/choose.ts";
import { judgeSettings, losesOver, MOST_LOST_POINTS, type SettingVerdict } from "../judge/settings.ts";
import { type JudgedRun, SAME_COST_RATIO, type Standing } from "../judge/standing.ts";
import type { KnobValue } from "./agent-knobs.ts";

/** A way to run the agent: as it is set now, by its defaults, with other settings, behind our proxy, or with our plugin. */
export interface SettingPoint {
  readonly kind: "now" | "default" | "candidate" | "proxy" | "plugin";
  /** Changes to the settings file; `null` takes a setting out, so that the agent's default holds. */
  readonly values: ReadonlyMap<string, KnobValue | null>;
  readonly policy: Policy;
}

/** A setting's figures over all sessions that fill half of the window. */
export interface SettingFigures extends Omit<SettingPoint, "policy"> {
  readonly standing: Standing;
  /** True if it is compared with the recording instead of the replay of the current setting. */
  readonly isAgainstLogs?: boolean;
  /** The cost divided by the current setting's, both by never compacting and geometric means over sessions; below 1 is cheaper. */
  readonly costRatio: number;
  /** The dollars that it costs less than the current one; `null` without prices. */
  readonly savedUsd: number | null;
  /** Measures that keep less than under the current setting, by a point at least, the worst first, or if none on a half of the sessions; for this one, less than by default. */
  readonly losses: readonly WorseMeasure[];
  /** The measure that keeps less by the most, however little; left out if none does. */
  readonly worst?: WorseMeasure | undefined;
  /** Measures that keep more by a point at least. */
  readonly gains: readonly WorseMeasure[];
}

/** A verdict on an agent's own settings. `remove`: they are known to do harm, or lose over {@link MOST_LOST_POINTS} points against the defaults. */
export type OwnVerdict =
  | SettingVerdict<SettingFigures>
  /** `instead`: the verdict on other values, against the default. */
  | {
      readonly kind: "remove";
      readonly values: SettingPoint["values"];
      readonly harm: WorseMeasure | string;
      readonly instead: OwnVerdict;
    };

/** Advice on an agent's settings, with the figures that it rests on. */
export interface SettingChoice {
  /** Sessions that fill half of the window; those that share a beginning are one. */
  readonly sessions: number;
  readonly projects: number;
  readonly rows: readonly SettingFigures[];
  /** The verdict on the agent's own settings, and on running the agent behind Plimsoll's proxy. */
  readonly setting: OwnVerdict;
  readonly proxy: SettingVerdict<SettingFigures>;
}

/**
 * Compares settings over the sessions that fill half of the window. The rows need the policy `none` and the policy of every point, by their
 * names; the first point is the current setting, and `harm` says why it is bad. Proxy and plugin, whose replays have no stand-in for a model's
 * summary, are compared with the policy `recorded` if the logs ran under the current setting.
 */
export function chooseSetting(
  [current, ...others]: readonly [SettingPoint, ...SettingPoint[]],
  run: JudgedRun,
  { harm: knownHarm = null, isOfLogs = false }: { readonly harm?: string | null; readonly isOfLogs?: boolean } = {},
): SettingChoice {
  const unset = others.find(({ kind }) => kind === "default");
  const settings = judgeSettings(run, current.policy.name);
  const { sessions, projects, over } = settings;
  const now = over(current.policy.name);
  const recorded = isOfLogs ? over(RECORDED_POLICY.name) : null;
  const ofLogs = recorded === null ? null : judgeSettings(run, recorded.policy);
  const judgesOf = (kind: SettingPoint["kind"]) => (kind === "proxy" || kind === "plugin" ? ofLogs : null) ?? settings;
  const byDefault = unset === undefined ? null : over(unset.policy.name);
  // Requests over the window keep all and are refused.
  const isSent = now !== null && byDefault !== null && byDefault.tooLarge <= now.tooLarge;
  const harms = isSent ? lossesAgainst(now, byDefault) : [];
  const rows = [current, ...others].flatMap(({ policy, ...point }): readonly SettingFigures[] => {
    const [standing, judges] = [over(policy.name), judgesOf(point.kind)];
    const base = judges === ofLogs ? recorded : now;
    if (standing === null || base === null) return [];
    const costRatio = standing.costPercent / base.costPercent;
    const losses = point.kind === "now" ? harms : judges.lossesOf(standing);
    const savedUsd = base.usd === null || standing.usd === null ? null : base.usd - standing.usd;
    const isAgainstLogs = base === recorded;
    const [worst] = lossesAgainst(standing, base, 0);
    return [{ ...point, isAgainstLogs, worst, standing, costRatio, savedUsd, losses, gains: lossesAgainst(base, standing) }];
  });
  const verdict = (kinds: readonly SettingPoint["kind"][], mostPoints = MOST_LOST_POINTS) => {
    const cheaper = rows.filter(({ kind, costRatio }) => kinds.includes(kind) && costRatio * SAME_COST_RATIO <= 1);
    const [kind = "now"] = kinds;
    const given = judgesOf(kind).verdictOn(
      cheaper.map(({ standing }) => standing.policy),
      mostPoints,
    );
    if (given.kind !== "set" && given.kind !== "trade") return given;
    const rowOf = (own?: Standing) => rows.find(({ standing }) => standing.policy === own?.policy);
    const best = rowOf(given.best);
    return best === undefined
      ? ({ kind: "keep", why: "nothing-cheaper" } as const)
      : { ...given, best, cheaper: rowOf(given.cheaper) };
  };
  // Who has chosen a setting is offered no second loss; a value that acts as the default does is none.
  const isChosen = byDefault !== null && (byDefault.costPercent !== now?.costPercent || byDefault.gain !== now.gain);
  const setting = verdict(["default", "candidate"], isChosen ? 0 : MOST_LOST_POINTS);
  const isHarm = setting.kind !== "too-few" && setting.kind !== "set" && losesOver(harms, MOST_LOST_POINTS);
  const harm = knownHarm ?? (isHarm ? harms[0] : undefined);
  if (unset !== undefined && harm !== undefined) {
    // A saving against a setting that has to go says nothing, nor does the replay of one that does not act as it is replayed.
    const left = chooseSetting([unset, ...others.filter((each) => each !== unset)], run);
    const remove = { kind: "remove", values: unset.values, harm, instead: left.setting } as const;
    return { ...left, rows: knownHarm === null ? rows : left.rows, setting: remove };
  }
  return { sessions, projects, rows, setting, proxy: verdict(["proxy"]) };
}
