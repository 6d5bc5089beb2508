import { PI_POLICY, type Policy, SVEN_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { chooseSetting, type SettingPoint } from "../advise/choose-setting.ts";
import type { BenchReport } from "../results.ts";
import { tune } from "../tune/tune.ts";
import { judge } from "./judge.ts";

/** Eight sessions of eight projects. The first costs ten times as much as each other one, and is dearer under a setting that the seven others save by. */
const SESSIONS = Array.from({ length: 8 }, (_, place) => `owner-${place}__repo__session`);
const BASES: readonly string[] = ["none", "now", SVEN_POLICY.name];
const usdOf = (session: string, policy: string) => {
  const [plain, ratio] = session === SESSIONS[0] ? [10, 1.15] : [1, 0.8];
  return BASES.includes(policy) ? plain : plain * ratio;
};

function reportOf(policies: readonly Policy[], wanted: ReadonlySet<string> = new Set(SESSIONS)): BenchReport {
  const report = exampleReport({ sessions: SESSIONS, calls: 120 });
  const rows = report.rows.flatMap((row) => {
    const { metrics, session } = row;
    if (row.policy !== "none" || metrics === null || !wanted.has(session)) return [];
    return policies.map(({ name: policy }) => {
      const safety = { ...metrics.safety, overflowingRequests: policy === "none" ? 3 : 0 };
      const cost = { ...metrics.cost, withCacheUsd: usdOf(session, policy) };
      return { ...row, policy, metrics: { ...metrics, safety, cost } };
    });
  });
  return { ...report, policies: policies.map((policy) => ({ name: policy.name, policy, sweep: null })), rows };
}

const named = (name: string): Policy => ({ ...PI_POLICY, name });
const POLICIES = [named("none"), named("now"), named("cheap")];

test("bench, tune and advise name the same order where sums and means disagree", async () => {
  const report = reportOf(POLICIES);
  const standings = [...(judge(report).windows[0]?.standings.values() ?? [])];
  const dollars = standings.map(({ policy, usd }) => [policy, usd]);
  expect(dollars).toEqual([
    ["none", 17],
    ["now", 17],
    ["cheap", expect.closeTo(17.1)],
  ]);
  const point = (policy: Policy): SettingPoint => {
    return { kind: policy.name === "now" ? "now" : "candidate", values: new Map(), policy };
  };
  const [, now, cheap] = POLICIES;
  const advised = chooseSetting([point(now ?? named("")), point(cheap ?? named(""))], report);
  const [tuned] = await tune([SVEN_POLICY], ({ policies, sessions }) =>
    Promise.resolve(reportOf(policies, sessions ?? undefined)),
  );
  const costs = [standings.at(-1), advised.rows[1]?.standing].map((standing) => [
    standing?.costPercent.toFixed(1),
    standing?.costMoreIn,
  ]);
  expect(costs).toEqual(Array.from({ length: 2 }, () => ["83.7", 1]));
  expect(tuned?.best?.test.costPercent).toBeLessThan(tuned?.current.test.costPercent ?? 0);
  expect(advised.setting.kind).toBe("set");
});
