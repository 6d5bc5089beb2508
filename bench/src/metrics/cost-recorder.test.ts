import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { COST } from "./cost.ts";
import { pooledBy } from "./registry.ts";

/** Figures of some row; a test does not depend on figures that it leaves unchanged. */
const [metricsOfExample] = exampleReport({ sessions: ["a"] }).rows.flatMap(({ metrics }) => metrics ?? []);

/** A row of a session with these dollars (`null`: no price), calls and compactions. */
function row(session: string, usd: number | null, { calls = 100, compactions = 0 } = {}) {
  return [metricsOfExample]
    .flatMap((metrics) => metrics ?? [])
    .map((metrics) => ({
      session,
      metrics: {
        ...metrics,
        safety: { ...metrics.safety, calls },
        economy: { ...metrics.economy, compactions },
        cost: { ...metrics.cost, withCacheUsd: usd, withoutCacheUsd: usd === null ? null : usd * 5 },
      },
    }));
}

describe("the cost of sessions", () => {
  test("adds up dollars of priced sessions alone", () => {
    const rows = [
      ...row("a", 1, { compactions: 1 }),
      ...row("b", 9, { compactions: 2, calls: 300 }),
      ...row("c", null, { compactions: 1 }),
    ];
    const summary = pooledBy(COST, rows);
    expect(summary.pricedSessions).toBe(2);
    expect(summary.withCache).toEqual({ usd: 10, per100CallsUsd: 2.5 });
    expect(summary.withoutCache.usd).toBe(50);
  });

  test("has no dollars if no session has a price", () => {
    expect(pooledBy(COST, row("a", null)).withCache).toEqual({ usd: null, per100CallsUsd: null });
  });
});
