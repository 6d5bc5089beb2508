import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-outcome-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

// Made from the types in τ-bench's source: no run of ours.
const RUN = {
  ...{ task_id: 0, reward: 0.25, info: {}, trial: 0 },
  traj: [
    { role: "user", content: "q" },
    { role: "assistant", content: "a" },
  ],
};

test("what a run came to is shown by inspect, and stands in the report of bench", async () => {
  writeFileSync(join(folder, "run.json"), JSON.stringify([RUN]));
  const shown = recordedIo(folder);
  expect(await main(["inspect", "run.json"], shown.io)).toBe(0);
  expect(shown.stdout().replace(/\s+/g, " ")).toContain("outcome reward 0.25");
  const replayed = recordedIo(folder);
  expect(await main(["bench", "run.json", "--policy", "none", "--window", "64k", "--json", "report.json"], replayed.io)).toBe(
    0,
  );
  const report: unknown = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"));
  expect(report).toMatchObject({ sessions: [{ outcome: { grades: [{ name: "reward", value: 0.25 }] } }] });
});
