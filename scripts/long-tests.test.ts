import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { longTests } from "./long-tests.mjs";
import { root } from "./tool.mjs";

test("each long test is there, once", () => {
  expect(longTests.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(new Set(longTests).size).toBe(longTests.length);
});
