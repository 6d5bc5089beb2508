import { fileURLToPath } from "node:url";
import {
  createSerialPool,
  inTable,
  METRICS,
  type Metric,
  type RunMetrics,
  renderHtmlReport,
  renderJsonReport,
  renderMarkdownReport,
  reportSchema,
  runBench,
} from "@plimsoll/bench";
import { NONE_POLICY, PI_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { z } from "zod";
import { costTables, policyTables } from "./policy-table.ts";

/** Replies without a tool call: one value, from what is measured to where it is shown. */
const SPOKEN: Metric<"spoken", number, number, "replies"> = {
  id: "spoken",
  schema: z.int().nonnegative(),
  measure: () => {
    let replies = 0;
    return {
      add: ({ reply }) => {
        if (reply?.parts.every(({ type }) => type !== "tool-call") === true) replies += 1;
      },
      result: () => replies,
    };
  },
  pool: ({ results }) => results.reduce((sum, replies) => sum + replies, 0),
  figures: {
    replies: {
      unit: "replies",
      better: "neither",
      method: "Replies that call no tool.",
      caveat: "The same for every policy.",
      value: (replies) => replies,
      format: "count",
      columns: [
        inTable("terminal", "made here", "\nspoken"),
        inTable("terminal-cost", "made here", "\nspoken"),
        inTable("markdown", "made here", "spoken"),
        inTable("policies", "made here", "spoken"),
        inTable("cost", "made here", "spoken"),
        inTable("retention", "made here", "spoken"),
        inTable("chart", "made here", "spoken"),
      ],
    },
  },
};

const metrics: RunMetrics = [...METRICS, SPOKEN];
const path = fileURLToPath(new URL("../../../../fixtures/sessions/conversation.jsonl", import.meta.url));

test("a metric from outside is one value, and stands in every table", async () => {
  const report = await runBench({
    files: [{ path, displayName: "conversation.jsonl" }],
    policies: [NONE_POLICY, PI_POLICY],
    windows: [{ kind: "working-room", tokens: 16_000 }],
    plimsollVersion: "0.0.0",
    pool: createSerialPool({ metrics }),
    calibrates: false,
  });
  expect(report.skipped).toEqual([]);
  const json: unknown = JSON.parse(renderJsonReport(report));
  const spoken = report.rows.map((row) => z.looseObject({ spoken: SPOKEN.schema }).parse(row.metrics).spoken);
  expect(spoken).toHaveLength(2);
  expect(Math.min(...spoken)).toBeGreaterThan(0);
  expect(reportSchema(metrics).safeParse(json).success).toBe(true);
  expect(reportSchema(METRICS).safeParse(json).success).toBe(false);
  const [first] = spoken;
  const page = renderHtmlReport(report, metrics);
  expect(page.split(/<th[^>]*><button[^>]*>spoken<\/button><\/th>/)).toHaveLength(5);
  expect(page).toContain("<td>Replies that call no tool.</td>");
  expect(renderMarkdownReport(report, metrics)).toMatch(new RegExp(`spoken \\|\n[|:-]+\n\\| none .* ${first} \\|\n`));
  expect(policyTables(report, metrics)).toMatch(new RegExp(`spoken\n─+\nnone .* ${first}\n`));
  expect(costTables(report, metrics)).toMatch(new RegExp(`spoken\n─+\nnone .* ${first}\n`));
});
