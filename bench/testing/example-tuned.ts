import { SVEN_POLICY } from "@plimsoll/core";
import { type Standing, standingOf } from "../src/judge/standing.ts";
import type { ShownTuneResult } from "../src/show/tune-page.ts";
import type { TunedPolicy } from "../src/tune/tune.ts";
import { madeSession } from "./made-standing.ts";

/** Makes a policy's standing in one session, by its cost in percent. */
export function madeStanding(policy: string, costPercent: number, figures: Parameters<typeof madeSession>[2]): Standing {
  return standingOf(policy, [madeSession("logs/a.jsonl", costPercent / 100, figures)]);
}

/** A setting with plausible figures, dearer and poorer on the half that it was not chosen on. */
function tuned(ratio: number, costPercent: number): TunedPolicy {
  const name = `sven ${ratio}`;
  return {
    policy: { ...SVEN_POLICY, name },
    settings: [{ path: "trigger.ratio", value: ratio }],
    train: madeStanding(name, costPercent, { held: 90, far: 50 }),
    test: madeStanding(name, costPercent * 1.1, { held: 85, far: null }),
  };
}

/** Makes a tuner's result for one policy, with plausible figures and without a replay. */
export function exampleTuned(): ShownTuneResult {
  const [low, high] = [tuned(0.6, 50), tuned(0.8, 70)];
  return {
    base: "sven",
    splitBy: "repository",
    trainSessions: 4,
    testSessions: 4,
    windowLabel: "real windows",
    current: { ...tuned(0.75, 65), settings: [] },
    front: [low, high],
    best: low,
    verdict: { kind: "set", best: low.test, sureness: { cost: { from: 80, through: 90 }, drawn: "projects", count: 9 } },
    tried: [low, tuned(0.7, 60), high],
    sessions: [{ session: "logs/a.jsonl", isTrain: true, current: high.train, best: low.train }],
  };
}
