import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecord } from "@plimsoll/core/extend";
import { beforeAll, describe, expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

/** Replays take seconds, longer if other tests run at the same time. */
const REPLAY_MS = 120_000;

describe("plimsoll bench --demo", () => {
  let folder = "";
  let exitCode = -1;
  let stdout = "";

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plimsoll-bundled-"));
    const recorded = recordedIo(folder);
    exitCode = await main(["bench", "--demo", "--html", "report.html", "--json", "report.json"], recorded.io);
    stdout = recorded.stdout();
  }, REPLAY_MS);

  const rows = (): readonly Record<string, unknown>[] => {
    const report: unknown = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"));
    return isRecord(report) && Array.isArray(report.rows) ? report.rows.filter(isRecord) : [];
  };

  const figure = (row: Record<string, unknown>, family: string, name: string) => {
    const metrics = isRecord(row.metrics) ? row.metrics[family] : null;
    return isRecord(metrics) ? metrics[name] : null;
  };

  test("replays the bundled sessions, writes both reports and says where", () => {
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Written: ${join(folder, "report.html")}`);
    expect(existsSync(join(folder, "report.html"))).toBe(true);
  });

  test("the README shows the answer and the table", () => {
    const [shown = "nothing"] = stdout.split("\nPrompts of plimsoll");
    expect(readFileSync(new URL("../../../../README.md", import.meta.url), "utf8")).toContain(shown);
  });

  test("every acting policy fires in every bundled session, the agents' own at least twice but for three: ours cuts deeper", () => {
    const acting = rows().filter(({ policy }) => policy !== "none" && policy !== "recorded");
    expect(acting.length).toBeGreaterThan(0);
    const below = (count: number) =>
      acting
        .filter((row) => Number(figure(row, "economy", "compactions")) < count)
        .map(({ session, policy }) => `${session} ${policy}`);
    expect(below(1)).toEqual([]);
    expect(below(2).filter((row) => !row.includes("plimsoll"))).toEqual([
      "bug-hunt codex",
      "conversation codex",
      "conversation opencode",
    ]);
  });

  test("no request is invalid", () => {
    expect(rows().filter((row) => figure(row, "safety", "invalidRequests") !== 0)).toEqual([]);
  });
});
