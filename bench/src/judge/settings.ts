import { originOf } from "../origin.ts";
import { FEWEST_OWNERS } from "../statistics.ts";
import { choose, isCheaper, lossesAgainst, type WorseMeasure } from "./choose.ts";
import { type Split, splitSessions } from "./split.ts";
import { type JudgedRun, type Standing, standingOf, standingsIn } from "./standing.ts";
import { type Sureness, surenessOf } from "./sureness.ts";

/** Least number of sessions that fill half of the window for a firm suggestion; with fewer, none is made. An interval needs as many projects (docs/evidence.md). */
const FEWEST_SESSIONS: number = FEWEST_OWNERS;

/** The verdict of the replays on a group of settings, over the sessions that fill half of the window. */
export type SettingVerdict<Best = Standing> =
  /** No session fills half of the window: with any setting, nothing happens. */
  | { readonly kind: "idle" }
  /** `missing`: sessions that are still needed. */
  | { readonly kind: "too-few"; readonly missing: number }
  /** Cheaper by a twentieth at least and no measure a point lower, chosen on one half of the sessions and confirmed on the other. */
  | ({ readonly kind: "set" } & SettingOffer<Best>)
  /** It surely saves, and loses {@link MOST_LOST_POINTS} of a measure at most: the cheapest that loses only on one half of the sessions, or else the cheapest. */
  | ({ readonly kind: "trade" } & SettingOffer<Best>)
  /** `other-window`: sessions in another window decide on the one number that the file has for all, or lose by it. */
  | { readonly kind: "keep"; readonly why: "nothing-cheaper" | "too-much-lost" | "not-confirmed" | "other-window" };

interface SettingOffer<Best> {
  readonly best: Best;
  readonly sureness: Sureness;
  /** The cheapest trade, if it is cheaper than the best. */
  readonly cheaper?: Best | undefined;
}

/** No setting is offered that loses more points of a measure; chosen. */
export const MOST_LOST_POINTS = 10;

/** Whether the worst loss is over so many points by its one printed decimal, so that none is refused that reads as the limit. */
export function losesOver([worst]: readonly WorseMeasure[], points: number): boolean {
  return Number((worst?.points ?? 0).toFixed(1)) > points;
}

/** Settings that are judged against the current one. */
export interface JudgedSettings {
  readonly split: Split;
  /** Sessions that fill half of the window; those that share a file or a beginning are one. */
  readonly sessions: number;
  readonly projects: number;
  /** A setting over all these sessions, or over a half; `null` unless it was replayed in each of them. */
  over(policy: string, half?: "train" | "test"): Standing | null;
  /** The measures that a setting lowers by a point over all these sessions, the worst first; if none, those that it lowers on a half. */
  lossesOf(own: Standing): readonly WorseMeasure[];
  /** The verdict on some of the settings, the current one aside. A trade loses at most so many points of a measure. */
  verdictOn(policies: readonly string[], mostPoints?: number): SettingVerdict;
}

/** Judges settings. The rows are of one window, and need the policies `none` and `current`. */
export function judgeSettings(run: JudgedRun, current: string): JudgedSettings {
  const split = splitSessions(run);
  const { bySession, broken } = standingsIn(run);
  const halves = { train: split.train, test: split.test, all: new Set([...split.train, ...split.test]) };
  const made = new Map<string, Standing | null>();
  const standingIn = (policy: string, half: keyof typeof halves): Standing | null => {
    const own = (bySession.get(policy) ?? []).filter(({ session }) => halves[half].has(session));
    return own.length === 0 || own.length < halves[half].size ? null : standingOf(policy, own, broken);
  };
  const over = (policy: string, half: keyof typeof halves = "all"): Standing | null => {
    const key = `${half} ${policy}`;
    const standing = made.has(key) ? (made.get(key) ?? null) : standingIn(policy, half);
    made.set(key, standing);
    return standing;
  };
  const now = over(current);
  const units = now?.units ?? [];
  // Those of one file or lineage are not independent.
  const sessions = new Set(units.map(({ file }) => file)).size;
  const projects = new Set(units.map(({ file, project }) => originOf(file, project).repository)).size;
  const betterOn = (policies: readonly string[], half: keyof typeof halves): readonly Standing[] => {
    const own = over(current, half);
    const tried = policies.flatMap((policy) => over(policy, half) ?? []);
    return own === null ? [] : choose(tried, { current: own }).recommended;
  };
  const lostOn = (policy: string, half: "train" | "test"): readonly WorseMeasure[] => {
    const [own, before] = [over(policy, half), over(current, half)];
    const lost = own === null || before === null ? [] : lossesAgainst(own, before);
    return lost.map((loss) => ({ ...loss, onHalf: true }));
  };
  const lossesOf = (own: Standing): readonly WorseMeasure[] => {
    const lost = now === null ? [] : lossesAgainst(own, now);
    const onHalves = () => [...lostOn(own.policy, "train"), ...lostOn(own.policy, "test")];
    return lost.length > 0 ? lost : onHalves().toSorted((a, b) => b.points - a.points);
  };
  const verdictOn = (policies: readonly string[], mostPoints = MOST_LOST_POINTS): SettingVerdict => {
    if (now === null) return { kind: "idle" };
    const isConfirmed = ({ policy }: Standing) => betterOn(policies, "test").some((each) => each.policy === policy);
    if (sessions < FEWEST_SESSIONS) return { kind: "too-few", missing: FEWEST_SESSIONS - sessions };
    const [chosen] = betterOn(policies, "train");
    const best = chosen === undefined || !isConfirmed(chosen) ? null : over(chosen.policy);
    const sureness = best === null ? null : savingOf(best, now);
    // By the figures over all sessions, which a table shows too.
    const cheaper = policies
      .flatMap((policy) => over(policy) ?? [])
      .filter((own) => isCheaper(own, now) && !own.isBroken && own.tooLarge <= now.tooLarge)
      .toSorted((a, b) => a.costPercent - b.costPercent);
    const near = cheaper
      .map((own) => ({ best: own, losses: lossesOf(own) }))
      .filter(({ losses }) => !losesOver(losses, mostPoints));
    const trades = near.flatMap((own) => {
      const saving = own.losses.length === 0 ? null : savingOf(own.best, now);
      return saving === null ? [] : [{ ...own, sureness: saving }];
    });
    const cheaperThan = (own: Standing) => trades.find((each) => each.best.costPercent < own.costPercent)?.best;
    if (best !== null && sureness !== null) return { kind: "set", best, sureness, cheaper: cheaperThan(best) };
    const trade = trades.find(({ losses: [worst] }) => worst?.onHalf) ?? trades[0];
    if (trade !== undefined) return { kind: "trade", ...trade, cheaper: cheaperThan(trade.best) };
    const why = cheaper.length === 0 ? "nothing-cheaper" : near.length === 0 ? "too-much-lost" : "not-confirmed";
    return { kind: "keep", why };
  };
  return { split, sessions, projects, over, lossesOf, verdictOn };
}

/** How sure a saving is; `null` if it may be none. */
function savingOf(own: Standing, now: Standing): Sureness | null {
  const sureness = surenessOf(own, now);
  return sureness !== null && sureness.cost.through < 100 ? sureness : null;
}
