import { sequenceOf } from "@plimsoll/core/extend";
import { usageEntry } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { prepareSession } from "../replay/prepared-session.ts";
import type { ReplayedCall } from "../replay/replayed-call.ts";
import { maximumOf, meanOf, quantileOf } from "../statistics.ts";
import { createCalibration, type HiddenEvent, hiddenEvents } from "./calibration.ts";

function callOf(call: number, reportedTokens: number, expectedTokens: number): ReplayedCall {
  const recorded = usageEntry(`request-${call}`, null, reportedTokens);
  const upperTokens = Math.round(expectedTokens * 1.1);
  const prediction = {
    expectedTokens,
    upperTokens,
    reportedTokens: 0,
    estimatedTokens: 0,
    overheadTokens: 0,
    basis: "an estimator",
  };
  return {
    ...{
      call,
      recorded,
      prediction,
      reply: null,
      context: sequenceOf(),
      promptTokens: 0,
      nonMessageTokens: 0,
      chargedTokens: 0,
    },
    ...{
      overflowed: false,
      irreducible: false,
      lost: false,
      violations: [],
      compactions: [],
      failedCompactions: 0,
      summaries: [],
      waits: [],
    },
  };
}

function calibrationOf(pairs: readonly (readonly [reported: number, expected: number])[], events: readonly HiddenEvent[] = []) {
  const calibration = createCalibration(events);
  for (const [call, [reported, expected]] of pairs.entries()) calibration.add(callOf(call, reported, expected));
  return calibration.result();
}

describe("createCalibration", () => {
  test("leaves out the first call and calls without a report", () => {
    expect(
      calibrationOf([
        [100, 500],
        [0, 100],
        [200, 200],
      ]),
    ).toMatchObject({ calls: 1, mapePercent: 0, estimator: "an estimator" });
  });

  test("tells too much from too little", () => {
    expect(
      calibrationOf([
        [1, 1],
        [100, 110],
        [100, 80],
      ]),
    ).toMatchObject({ signedPercent: -5, mapePercent: 15, maxPercent: 20, p50Percent: 10 });
  });

  test("shows calls after hidden events apart", () => {
    const { byEvent } = calibrationOf(
      [
        [1, 1],
        [100, 100],
        [100, 150],
        [100, 102],
      ],
      ["none", "none", "drop", "none"],
    );
    expect(byEvent).toEqual([
      { event: "none", calls: 2, signedPercent: 1, mapePercent: 1, maxPercent: 2 },
      { event: "drop", calls: 1, signedPercent: 50, mapePercent: 50, maxPercent: 50 },
    ]);
  });

  test("says how often the upper bound held, and how wide it was", () => {
    expect(
      calibrationOf([
        [1, 1],
        [1000, 1000],
        [1000, 800],
      ]),
    ).toMatchObject({ upperCoveragePercent: 50, upperMarginPercent: -1 });
  });

  test("of nothing there is no figure", () => {
    expect(calibrationOf([])).toMatchObject({
      calls: 0,
      mapePercent: null,
      p99Percent: null,
      upperCoveragePercent: null,
      byEvent: [],
    });
  });
});

test("hidden events are read off the reports: recorded compactions and falling prompts", () => {
  const { sizeJudge } = prepareSession(
    madeTranscript({ turns: 4, toolCallsPerTurn: 2, resultChars: 800, overheadTokens: 1000, boundaries: [2] }),
  );
  const calls = sizeJudge.calls.map((call) =>
    call.index === 3 ? { ...call, reportedTokens: (sizeJudge.calls[2]?.reportedTokens ?? 0) - 1 } : call,
  );
  const events = hiddenEvents({ calls, nonMessageTokens: sizeJudge.nonMessageTokens });
  expect(events.map((event, index) => `${index} ${event}`).filter((each) => !each.endsWith("none"))).toEqual([
    "3 drop",
    "6 after-boundary",
  ]);
});

test.each([
  [[], 0.5, null],
  [[3], 0.99, 3],
  [[4, 1, 3, 2], 0.5, 2],
  [[4, 1, 3, 2], 0.75, 3],
  [[4, 1, 3, 2], 1, 4],
  [[4, 1, 3, 2], 0, 1],
])("the quantile of %j at %d is %d", (values, ratio, quantile) => {
  expect(quantileOf(values, ratio)).toBe(quantile);
});

test("mean and maximum of nothing are not known", () => {
  expect([meanOf([]), maximumOf([]), meanOf([1, 2]), maximumOf([-3, -1])]).toEqual([null, null, 1.5, -1]);
});
