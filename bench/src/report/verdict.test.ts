import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { METRICS } from "../metrics/registry.ts";
import type { BenchReport } from "../results.ts";
import { summarizePolicies } from "./policy-summary.ts";
import { verdicts } from "./verdict.ts";

const LINE_CHARS = 78;

const linesOf = (report: BenchReport) => verdicts(report, summarizePolicies(report, METRICS));

describe("verdicts", () => {
  test("say in five lines which policy, what it costs, holds and loses, and how sure that is", () => {
    const [verdict] = linesOf(exampleReport());
    expect(verdict?.lines.map((line) => line.split(" ")[0])).toEqual([expect.any(String), "Costs", "Keeps", "Worse", "How"]);
    expect(verdict?.lines[4]).toBe("How sure: too little data; 8 projects are needed, these sessions are of 1.");
  });

  test("fit a terminal of 80 columns", () => {
    const lines = linesOf(exampleReport({ workingRoomsTokens: [16_000, 128_000] })).flatMap((verdict) => verdict.lines);
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => line.length > LINE_CHARS)).toEqual([]);
  });

  test("there is one for each window", () => {
    const titles = linesOf(exampleReport({ workingRoomsTokens: [16_000, 128_000] })).map(({ title }) => title);
    expect(titles).toEqual(["working room 16k, summaries by a model", "working room 128k, summaries by a model"]);
  });

  test("of a report without `none` say what is missing", () => {
    const report = exampleReport();
    const [verdict] = linesOf({ ...report, rows: report.rows.filter(({ policy }) => policy !== "none") });
    expect(verdict?.lines).toEqual(["Doing nothing was not replayed: add the policy none to compare with."]);
  });

  test("of a report in which nothing acted say that", () => {
    const report = exampleReport();
    const [verdict] = linesOf({ ...report, rows: report.rows.filter(({ policy }) => policy === "none") });
    expect(verdict?.lines).toEqual(["No policy that compacts was replayed in every session: add --policy."]);
  });
});
