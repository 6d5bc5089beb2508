import { expect, test } from "vitest";
import { measureGroup } from "./comparison.ts";

test("a group tells of each comparison before it is run, and runs each side before the rounds and before it is timed in each", async () => {
  const said: string[] = [];
  const side = (name: string) => () => said.push(name);
  const comparison = (name: string) => ({
    slow: name,
    fast: "the other",
    runSlow: side(`${name} runs`),
    runFast: side("the other runs"),
    unlike: null,
  });
  const group = { name: "made", make: async () => [comparison("one"), comparison("two")] };
  const effort = { rounds: 2, firstMs: 0, roundMs: 0, leastRuns: 5 };
  const measured = await measureGroup(group, { effort, row: "", onProgress: (text) => said.push(text) });
  expect(measured.map(({ slow }) => slow)).toEqual(["one", "two"]);
  const texts = ["made: making what it runs on", "made 1/2: one", "one runs", "made 2/2: two", "two runs"];
  expect(texts.map((text) => said.indexOf(text)).toSorted((a, b) => a - b)).toEqual(texts.map((text) => said.indexOf(text)));
  for (const text of ["one runs", "two runs"]) expect(said.filter((each) => each === text).length).toBeGreaterThan(2 * (1 + 5));
  said.length = 0;
  await measureGroup(group, { effort, row: "two", onProgress: (text) => said.push(text) });
  expect(said).toContain("made 1/1: two");
  expect(said).not.toContain("one runs");
});
