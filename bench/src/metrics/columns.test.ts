import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { METRICS } from "./registry.ts";

test("docs/bench-and-tune.md names every measure", async () => {
  const page = await readFile(new URL("../../../docs/bench-and-tune.md", import.meta.url), "utf8");
  const section = page.split("## Every measure")[1]?.split("\n## ")[0] ?? "";
  expect(METRICS.map(({ id }) => id).filter((id) => !section.includes(`\`${id}\``))).toEqual([]);
});
