import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../testing/temporary-folder.ts";

const GIGABYTE = 1_000_000_000;
const MAXIMUM_BYTES = 250_000_000;
/** The most that is stored of one output: 64 MiB, and one piece of a pipe. */
const MAXIMUM_STORED_BYTES = 64 * 1024 * 1024 + 65_536;

const folder = temporaryFolder();
const program = join(folder.path, "print-a-gigabyte.mjs");
beforeAll(async () => {
  const bundle = await rolldown({
    input: join(import.meta.dirname, "../../testing/print-a-gigabyte.ts"),
    platform: "node",
    resolve: { conditionNames: ["source", "import", "node"] },
  });
  await bundle.write({ file: program, format: "esm" });
}, 60_000);
afterAll(() => folder.remove());

test("a program that prints a gigabyte takes bounded memory and bounded disk, and its ends are shown", () => {
  const { stdout } = spawnSync(process.execPath, [program, folder.path, String(GIGABYTE)], { encoding: "utf8" });
  const { end, totalBytes, shownChars, storedBytes, isStoredWhole, peakBytes } = JSON.parse(stdout);
  console.log(`most memory: ${Math.round(peakBytes / 1e6)} MB; stored: ${Math.round(storedBytes / 1e6)} MB`);
  expect({ end, totalBytes, isStoredWhole }).toEqual({ end: "exited", totalBytes: GIGABYTE, isStoredWhole: false });
  expect(shownChars).toBeLessThan(600_000);
  expect(storedBytes).toBeLessThanOrEqual(MAXIMUM_STORED_BYTES);
  expect(peakBytes).toBeLessThan(MAXIMUM_BYTES);
}, 300_000);
