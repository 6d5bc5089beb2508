import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { benchReportSchema } from "../results/report-json.ts";
import { renderHtmlReport } from "./html.ts";
import { renderJsonReport } from "./json.ts";

const HOSTILE = '</script><img src=x onerror="alert(1)"><!--';

/** Fifty sessions of 600 calls on average in one window: the size that a report must still have room for. */
const MANY_SESSIONS = Array.from({ length: 50 }, (_, index) => `session-${index}.jsonl`);
const MAXIMUM_BYTES = 3_000_000;

describe("renderHtmlReport", () => {
  test("no text of a session becomes markup", () => {
    const page = renderHtmlReport(exampleReport({ sessions: [HOSTILE] }));
    expect(page).not.toContain("<img");
    expect(page).not.toContain("<!--");
    expect(page).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;");
  });

  test("loads nothing from anywhere", () => {
    const page = renderHtmlReport(exampleReport());
    expect(page).not.toMatch(/\s(?:src|href)="(?!#)/);
    expect(page).toContain("default-src &#39;none&#39;");
  });

  test("is the same for the same report", () => {
    expect(renderHtmlReport(exampleReport())).toBe(renderHtmlReport(exampleReport()));
  });

  test("names what was skipped", () => {
    expect(renderHtmlReport(exampleReport())).toContain("line 3: not JSON; delete the line or export the session again");
  });

  test("stays under three megabytes with fifty long sessions", () => {
    const report = exampleReport({ sessions: MANY_SESSIONS, calls: 24 });
    expect(Buffer.byteLength(renderHtmlReport(report))).toBeLessThan(MAXIMUM_BYTES);
  });
});

describe("renderJsonReport", () => {
  test("is the whole report as JSON, with the comparisons, and is read again", () => {
    const { comparisons, ...report } = JSON.parse(renderJsonReport(exampleReport()));
    expect(report).toEqual(JSON.parse(JSON.stringify(exampleReport())));
    expect(benchReportSchema.parse({ ...report, comparisons })).toMatchObject({ comparisons });
  });
});
