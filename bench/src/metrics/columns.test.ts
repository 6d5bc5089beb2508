import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { metricTable } from "./columns.ts";
import { METRICS } from "./registry.ts";

test("docs/benchmark.md lists the figures as the metrics say them", async () => {
  const page = await readFile(new URL("../../../docs/benchmark.md", import.meta.url), "utf8");
  expect(page).toContain(metricTable(METRICS));
});
