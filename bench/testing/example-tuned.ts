import { SVEN_POLICY } from "@plimsoll/core";
import type { ShownTuneResult } from "../src/report/tune-page.ts";
import type { TunedPolicy } from "../src/tune/tune.ts";

/** A setting with plausible figures, dearer and poorer on the half that it was not chosen on. */
function tuned(ratio: number, cost: number): TunedPolicy {
  return {
    policy: { ...SVEN_POLICY, name: `sven ${ratio}` },
    settings: [{ path: "trigger.ratio", value: ratio }],
    train: { cost, shares: [], gain: 90, farGain: 50, overflows: 0, losses: [] },
    test: {
      cost: cost * 1.1,
      shares: [],
      gain: 85,
      farGain: null,
      overflows: 0,
      losses: [],
    },
  };
}

/** Makes a tuner's result for one policy, with plausible figures and without a replay. */
export function exampleTuned(): ShownTuneResult {
  const [low, high] = [tuned(0.6, 0.5), tuned(0.8, 0.7)];
  return {
    base: "sven",
    splitBy: "repository",
    trainSessions: 4,
    testSessions: 4,
    current: { ...tuned(0.75, 0.65), settings: [] },
    front: [low, high],
    best: low,
    sureness: null,
    tried: [low, tuned(0.7, 0.6), high],
    sessions: [{ session: "logs/a.jsonl", isTrain: true, current: high.train, best: low.train }],
  };
}
