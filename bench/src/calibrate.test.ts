import { SVEN_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { calibrate } from "./calibrate.ts";
import { prepareSession } from "./replay/prepared-session.ts";
import { madeTranscript } from "./testing/made-session.ts";

const EXACT_BUT_FOR_FRAMING = {
  kind: "chars-per-token",
  charsPerToken: 4,
  unit: "utf16-units",
  rounding: "ceil",
  perMessageTokens: 10,
  minimumMessageTokens: 0,
  imageTokens: 0,
} as const;

test("measures any estimator on the recorded requests, whatever the recorded policy's own is", async () => {
  const session = prepareSession(madeTranscript({ turns: 4, toolCallsPerTurn: 4, resultChars: 2000, overheadTokens: 500 }));
  const exact = await calibrate(session, EXACT_BUT_FOR_FRAMING);
  const sven = await calibrate(session, SVEN_POLICY.estimator);
  expect(exact.calls).toBe(session.sizeModel.calls.length - 1);
  expect(exact.mapePercent).toBeLessThan(1);
  expect(sven.mapePercent).toBeGreaterThan(exact.mapePercent ?? 0);
  expect(sven.estimator).not.toBe(exact.estimator);
});
