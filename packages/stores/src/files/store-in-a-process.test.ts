import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { SessionEntry } from "@plimsoll/core";
import { human, sessionStart } from "@plimsoll/core/testing";
import { rolldown } from "rolldown";
import { beforeAll, describe, expect, test } from "vitest";
import { createFileSessionStore } from "./file-session-store.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-process-"));
const program = join(folder, "store.mjs");
const logs = join(folder, "logs");
const ENTRY_CHARS = 40_000;
const ENTRY_COUNT = 1_000;
/** Half of the log: enough to read it entry by entry, too little to keep it. */
const HEAP_MB = 20;

beforeAll(async () => {
  const bundle = await rolldown({
    input: join(import.meta.dirname, "../../testing/node/store-in-a-process.ts"),
    platform: "node",
    resolve: { conditionNames: ["source", "import", "node"] },
  });
  await bundle.write({ file: program, format: "esm", minify: true });
  const writer = await createFileSessionStore({ folder: logs, sync: "on-close" }).create({ ...sessionStart(), id: "one" });
  const text = "x".repeat(ENTRY_CHARS);
  const entry = (index: number): SessionEntry => ({ type: "message", message: human(`h${index}`, text) });
  await writer.append(Array.from({ length: ENTRY_COUNT }, (_, index) => entry(index)));
  await writer.close();
}, 60_000);

const told = async (args: readonly string[]): Promise<unknown> => {
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
};
const smallHeap = (task: string) => told([`--max-old-space-size=${HEAP_MB}`, program, task, logs]);

describe("file stores in a process of their own", { timeout: 60_000 }, () => {
  test("a log of 40 MB is opened with a heap of 20 MB", async () => {
    expect(await smallHeap("stream")).toBe(ENTRY_COUNT + 1);
  });

  test("the same heap cannot keep the log's entries", async () => {
    await expect(smallHeap("keep")).rejects.toThrow("JavaScript heap out of memory");
  });

  test("what is stored is its owner's alone, whatever the umask", async () => {
    const home = join(folder, "modes");
    mkdirSync(home);
    expect(await told([program, "modes", home])).toEqual([
      "700 artifacts",
      expect.stringMatching(/^600 artifacts\/[0-9a-f]+\.txt$/),
      expect.stringMatching(/^600 artifacts\/[0-9a-f]+\.txt$/),
      "700 sessions",
      "600 sessions/one.jsonl",
      "600 sessions/one.jsonl.lock",
      "600 sessions/two.jsonl",
      "600 sessions/two.jsonl.lock",
    ]);
  });
});
