import type { MainStep, OverflowRule } from "@plimsoll/providers/simulator";
import { requestRuns } from "../compactions.ts";
import type { ActsBetween, EndFacts, OverflowFacts } from "../facts.ts";
import type { Played } from "../play.ts";
import { FILL_STEPS, fill, type Lab, PERSON, SIDE, smallLimits, turns } from "./setting.ts";

function endOf({ exchanges, endedBy, exitCode, told }: Played): EndFacts {
  return { requests: requestRuns(exchanges), endedBy, exitCode, told };
}

/** Main answers after which usage falls again, and requests after which a program that goes on is ended. */
const LOOP_MAINS = 12;
const LOOP_REQUESTS = 60;

/** Usage that stays high whatever the program does: does it end? */
export async function loopWhileHigh(lab: Lab, between: ActsBetween): Promise<EndFacts> {
  const { limits, tokenFactorRatio } = smallLimits(lab.program);
  const isTurns = between === "turns";
  const step: MainStep = isTurns ? { say: { text: "Done." } } : { call: { outputTokens: 50 } };
  const played = await lab.play("usage that stays high", {
    scenario: {
      name: "usage that stays high",
      tokenFactorRatio,
      main: [fill(between), { ...step, repeat: LOOP_MAINS }],
      usage: { atLeastTokens: Math.round(limits.windowTokens * HIGH_RATIO) },
      atMostMain: FILL_STEPS + LOOP_MAINS,
      side: SIDE,
    },
    limits,
    prompts: isTurns ? turns(FILL_STEPS + LOOP_MAINS) : [PERSON],
    atMostRequests: LOOP_REQUESTS,
  });
  return endOf(played);
}

/** High: nearly the window. Chosen. */
const HIGH_RATIO = 0.97;

/** The main request that is refused, and the size of results before it. */
const REFUSED_REQUEST = 6;
const RESULT_TOKENS = 2_000;

/** The provider says that a request is too long: once, twice in a row, and until requests are smaller than half of it. */
export async function overflows(lab: Lab): Promise<readonly OverflowFacts[]> {
  const { limits, tokenFactorRatio } = smallLimits(lab.program);
  const refuse = async (refused: OverflowFacts["refused"], overflow: readonly OverflowRule[]) => {
    const played = await lab.play(`too long ${refused}`, {
      scenario: {
        name: `too long ${refused}`,
        tokenFactorRatio,
        main: [{ call: { outputTokens: RESULT_TOKENS }, repeat: REFUSED_REQUEST + 3 }],
        overflow,
        side: SIDE,
      },
      limits,
      prompts: [PERSON],
      atMostRequests: LOOP_REQUESTS,
    });
    return { facts: { refused, ...endOf(played) }, played };
  };
  const once = await refuse("once", [{ kind: "main", request: REFUSED_REQUEST }]);
  const twice = await refuse("twice", [{ kind: "main", request: REFUSED_REQUEST, times: 2 }]);
  const mains = once.played.exchanges.filter(({ kind, promptTokens }) => kind === "main" && promptTokens !== null);
  const [first, last] = [mains[0]?.promptTokens ?? 0, mains[REFUSED_REQUEST - 1]?.promptTokens ?? 0];
  const smaller = await refuse("until smaller", [{ aboveTokens: Math.round((first + last) / 2) }]);
  return [once.facts, twice.facts, smaller.facts];
}
