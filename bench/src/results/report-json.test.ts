import { expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { benchReportJsonSchema, reportSchema } from "./report-json.ts";

test("the published schema is the one that reports are read by", async () => {
  const published = new URL("../../schema/report.schema.json", import.meta.url);
  await expect(`${JSON.stringify(benchReportJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(published.pathname);
});

test("a report fits the schema, also as it comes back from a file", () => {
  const report = exampleReport({ sweptRatios: [0.6] });
  expect(reportSchema().safeParse(report).error).toBeUndefined();
  expect(reportSchema().safeParse(JSON.parse(JSON.stringify(report))).success).toBe(true);
});

test.each([
  ["an unknown field", { extra: 1 }],
  ["an older version", { formatVersion: 7 }],
  ["a list that is none", { rows: {} }],
])("%s is refused", (_, wrong) => {
  const report = { ...exampleReport(), ...wrong };
  expect(reportSchema().safeParse(report).success).toBe(false);
});
