import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../tool.mjs";

const rows = [
  ...readFileSync(join(root, "SECURITY.md"), "utf8").matchAll(/^\| ([^|]+) \| `([^`|]+\.test\.ts)` \| ([^|]+) \|$/gm),
].map(([, promise = "", file = "", name = ""]) => ({ promise, file, name }));

test("promises stand beside tests", () => {
  expect(rows.length).toBeGreaterThan(15);
});

test.each(rows)("$promise: $file has the test", ({ file, name }) => {
  expect(existsSync(join(root, file))).toBe(true);
  expect(readFileSync(join(root, file), "utf8")).toContain(name);
});
