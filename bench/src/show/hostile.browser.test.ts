import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NONE_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { RECORDED_POLICY } from "@plimsoll/core/extend";
import { describe, expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { CHROMIUM, openReportBrowser } from "../../testing/report-browser.ts";
import { runBench } from "../replay/run-bench.ts";
import type { BenchReport } from "../results.ts";
import { renderHtmlReport } from "./html.ts";

const START_MS = 120_000;
const HOSTILE = "</script><img src=x onerror=\"document.title='taken'\"><!-- \u2028 =cmd|' /C calc'!A0 {{7*7}} &lt;b&gt;";

/** A session whose texts, names of tools and models are hostile, replayed as any other. */
async function hostileReport(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-hostile-"));
  const path = join(folder, "session.jsonl");
  const made = { turns: 8, toolCallsPerTurn: 5, resultChars: 4000, overheadTokens: 1000, boundaries: [5] };
  const lines = madeTranscript(made, "hostile").entries.map((entry) =>
    JSON.stringify(entry, (key, value: unknown) => {
      if (key === "toolName" || key === "modelId") return HOSTILE;
      return key === "text" && typeof value === "string" ? `${HOSTILE} ${value} src/${HOSTILE}.ts` : value;
    }),
  );
  writeFileSync(path, `${lines.join("\n")}\n`);
  try {
    const windows = [{ kind: "working-room", tokens: 12_000 } as const];
    const policies = [RECORDED_POLICY, NONE_POLICY, { ...SVEN_POLICY, name: `sven ${HOSTILE}` }];
    return await runBench({ files: [{ path, displayName: `${HOSTILE}.jsonl` }], policies, windows, plimsollVersion: HOSTILE });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.skipIf(!existsSync(CHROMIUM))("a hostile session", { timeout: START_MS }, () => {
  test.each([["report", renderHtmlReport, "#chart[data-lines]"]] as const)("stays text in the %s", async (_, render, ready) => {
    const report = await hostileReport();
    expect(report.rows.some(({ compactions }) => compactions.length > 0)).toBe(true);
    const content = render(report);
    expect(content).not.toContain("<img");
    const browser = await openReportBrowser(content, ready);
    const { page, complaints, requests, address } = await browser.open("light", 1000);
    await page.evaluate("for (const item of document.querySelectorAll('details')) item.open = true");
    expect(await page.locator("img, iframe, object, main script").count()).toBe(0);
    expect(await page.textContent("body")).toContain("<img src=x onerror=");
    expect(await page.title()).toMatch(/^Plimsoll: /);
    expect(complaints).toEqual([]);
    expect(requests).toEqual([address]);
    await browser.close();
  });
});
