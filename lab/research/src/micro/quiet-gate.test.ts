import type { Policy } from "@plimsoll/core";
import { PRESETS } from "@plimsoll/core";
import type { EstimatorSpec } from "@plimsoll/core/build";
import { expect, test } from "vitest";
import { workAtEnd } from "./quiet-gate.ts";

/** Two sessions that differ in their length alone; short results keep the test quick. */
const SHORT = { messageCount: 100, resultChars: 60 } as const;
const LONG = { messageCount: 10_000, resultChars: 60 } as const;

/** Opening 10,000 messages takes a second, longer if other tests run at the same time. */
const OPEN_MS = 60_000;

/** One preset for each way of measuring. */
const policies = [
  ...new Map(PRESETS.filter(({ enabled }) => enabled).map((policy) => [key(policy.estimator), policy])).values(),
].map((policy: Policy) => [policy.name, policy] as const);

function key(estimator: EstimatorSpec): string {
  return JSON.stringify(estimator);
}

test.each(policies)(
  "%s: a gate that fires nothing and a step more cost as much at 100 messages as at 10,000",
  { timeout: OPEN_MS },
  async (_, policy) => {
    const short = await workAtEnd(policy, SHORT);
    expect(await workAtEnd(policy, LONG)).toEqual(short);
    expect([short.gate.messagesVisited, short.step.messagesVisited]).toEqual([1, 2]);
  },
);
