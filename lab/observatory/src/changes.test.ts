import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { changesBetween } from "./changes.ts";
import { type ProgramFacts, programFactsSchema } from "./facts.ts";

const FACTS = programFactsSchema.parse(JSON.parse(readFileSync(new URL("../facts/codex.json", import.meta.url), "utf8")));
const BASE: ProgramFacts = { ...FACTS, version: "1.0.0", actsBetween: "steps" };

test.each<[string, Partial<ProgramFacts>, readonly string[]]>([
  ["nothing changed", {}, []],
  ["another day alone", { recorded: "2030-01-01" }, []],
  ["another version", { version: "1.1.0" }, ["version: 1.0.0 → 1.1.0"]],
  ["what it is told no longer", { loop: { ...BASE.loop, exitCode: 7 } }, [`loop.exitCode: ${BASE.loop.exitCode} → 7`]],
])("%s", (_, changed, lines) => {
  expect(changesBetween(BASE, { ...BASE, ...changed })).toEqual(lines);
});

test("a place that is gone, and one that is new", () => {
  const [threshold] = FACTS.thresholds;
  const [before, after] = [[], [threshold]].map((thresholds) => ({
    ...BASE,
    thresholds: thresholds.filter((each) => each !== undefined),
  }));
  expect(changesBetween(before ?? BASE, after ?? BASE)).toContain(
    `thresholds.0.windowTokens: none → ${threshold?.windowTokens}`,
  );
});
