import { expect, test } from "vitest";
import { leftText } from "./progress-bar.ts";

test.each([
  ["nothing before anything is done", 0, 5_000, ""],
  ["seconds", 0.5, 10_000, "10 s left"],
  ["minutes", 0.01, 3_000, "5 min left"],
  ["no time at the end", 1, 10_000, "0 s left"],
])("what is left is told as %s", (_, share, elapsedMs, text) => {
  expect(leftText(share, elapsedMs)).toBe(text);
});
