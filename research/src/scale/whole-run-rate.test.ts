import { expect, test } from "vitest";
import { wholeRunRate } from "./whole-run-rate.ts";

const PAGE =
  "| policies | sessions | s a GB |\n|---|---:|---:|\n| `none` | 2 | **84** |\n| `none`, `pi` | 2 | 150 |\n| `none` | 9 | 62 |\n";

test.each([
  ["of one policy alone", ["none"], 84],
  ["of several", ["none", "pi"], 150],
])("a rate is that of the first run %s", (_, policies, rate) => {
  expect(wholeRunRate(PAGE, policies)).toBe(rate);
});

test("a set that was not measured is refused", () => {
  expect(() => wholeRunRate(PAGE, ["pi"])).toThrow("no row of a whole run under pi");
});
