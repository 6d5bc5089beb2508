import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { exampleTuned } from "../../testing/example-tuned.ts";
import { CHROMIUM, pageFaults } from "../../testing/report-browser.ts";
import { renderHtmlReport } from "./html.ts";
import { renderTuneHtml } from "./tune-page.ts";

const START_MS = 240_000;

const report = exampleReport({ sweptRatios: [0.6, 0.9], calls: 120 });
const tunePage = { yaml: "extends: plimsoll", nameOf: (session: string) => session };

const PAGES = [
  ["report", () => renderHtmlReport(report), "#chart[data-lines]"],
  ["tune", () => renderTuneHtml([exampleTuned()], tunePage), "figure.xy"],
] as const;

describe.skipIf(!existsSync(CHROMIUM))("every page", { timeout: START_MS }, () => {
  test.each(PAGES)("%s, filled: breaks no rule of accessibility, asks for nothing, fits a phone", async (_, render, ready) => {
    expect(await pageFaults({ content: await render(), ready })).toEqual([]);
  });
});
