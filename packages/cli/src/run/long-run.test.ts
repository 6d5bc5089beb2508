import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../../..");
const MAXIMUM_BYTES = 300_000_000;
/** The collector takes what a machine has; a limit of its own shows what the run needs. In megabytes. */
const HEAP_LIMIT = "--max-old-space-size=192";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-long-run-"));
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/build.mjs")], { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("2,000 steps with outputs of 40,000 characters stay under 300 MB", () => {
  const script = join(root, "packages/cli/dist/testing/long-run.js");
  const { stdout } = spawnSync(process.execPath, [HEAP_LIMIT, script, folder, "2000", "40000"], { encoding: "utf8" });
  const { reason, steps, compactions, peakBytes } = JSON.parse(stdout);
  expect({ reason, steps, isCompacted: compactions > 5 }).toEqual({ reason: "done", steps: 2001, isCompacted: true });
  expect(peakBytes).toBeLessThan(MAXIMUM_BYTES);
}, 240_000);
