import type { BenchReport } from "@plimsoll/bench";
import { exampleReport } from "@plimsoll/bench/testing";
import { expect, test } from "vitest";
import { bySideSection } from "./by-side.ts";

const SPLIT = '{ "fit": ["amy"], "choose": ["bob"] }';

/** A report in which `sven` costs these shares of doing nothing, and every session outgrows the window. */
function costing(ratios: Readonly<Record<string, number>>): BenchReport {
  const report = exampleReport({ sessions: Object.keys(ratios), calls: 10 });
  const rows = report.rows.map((row) => {
    if (row.metrics === null) return row;
    const withCacheUsd = row.policy === "sven" ? (ratios[row.session] ?? 0) : 1;
    const safety = { ...row.metrics.safety, overflowingRequests: 1 };
    return { ...row, metrics: { ...row.metrics, safety, cost: { ...row.metrics.cost, withCacheUsd } } };
  });
  return { ...report, rows };
}

const costsOf = (section: string) =>
  section.split("\n").flatMap((line) => /^(\*\*.*\*\*)$|^\| sven \| ([\d.]+) /.exec(line)?.slice(1).filter(Boolean) ?? []);

test("each side has the sessions of its owners, what nothing was fitted on first", () => {
  const report = costing({
    "pi/amy__one__1.jsonl": 0.4,
    "pi/amy__one__2.jsonl": 0.9,
    "pi/bob__two__1.jsonl": 0.6,
    "pi/cat__six__1.jsonl": 0.25,
  });
  expect(costsOf(bySideSection(report, SPLIT))).toEqual([
    "**64k for messages, 1 session of owners that nothing was fitted on or chosen by**",
    "25.0",
    "**64k for messages, 3 sessions of owners that the presets were fitted on or chosen by**",
    "60.0",
  ]);
});

test("a side without sessions has no table", () => {
  const section = bySideSection(costing({ "pi/cat__six__1.jsonl": 0.5 }), SPLIT);
  expect(costsOf(section)).toEqual([
    "**64k for messages, 1 session of owners that nothing was fitted on or chosen by**",
    "50.0",
  ]);
});

test("a preset of ours stands above the tail of its size, others do not", () => {
  const report = costing({ "pi/cat__six__1.jsonl": 0.5 });
  const ours = report.rows.map((row) => ({ ...row, policy: row.policy === "sven" ? "plimsoll" : row.policy }));
  const policies = report.policies.map((each) => ({ ...each, name: each.name === "sven" ? "plimsoll" : each.name }));
  const lines = bySideSection({ ...report, rows: ours, policies }, SPLIT).split("\n");
  const place = lines.findIndex((line) => line.startsWith("| plimsoll |"));
  expect(lines[place + 1]).toMatch(/^\| plimsoll: its tail \| no more \| 0 \|/);
  expect(lines.filter((line) => line.includes("its tail |"))).toHaveLength(1);
});
