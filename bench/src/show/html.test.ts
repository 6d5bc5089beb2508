import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { judge } from "../judge/judge.ts";
import { reportSchema } from "../results/report-json.ts";
import { formatPercent } from "./figures.ts";
import { renderHtmlReport } from "./html.ts";
import { renderJsonReport } from "./json.ts";
import { renderMarkdownReport } from "./markdown.ts";

const HOSTILE = '</script><img src=x onerror="alert(1)"><!--';

/** Fifty sessions of 600 calls on average in one window: the size that a report must still have room for. */
const MANY_SESSIONS = Array.from({ length: 50 }, (_, index) => `session-${index}.jsonl`);
const MAXIMUM_BYTES = 3_000_000;
const MAXIMUM_ELEMENTS = 12_000;

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

  test("stays under three megabytes and 12,000 elements with fifty long sessions", () => {
    const page = renderHtmlReport(exampleReport({ sessions: MANY_SESSIONS, calls: 24 }));
    expect(Buffer.byteLength(page)).toBeLessThan(MAXIMUM_BYTES);
    expect(page.match(/<[a-z]/g)?.length).toBeLessThan(MAXIMUM_ELEMENTS);
  });

  test("has the figures of the JSON and the Markdown of the same run", () => {
    const report = exampleReport();
    const { policy = "", costPercent: cost = 0, gain = 0 } = judge(report).windows[0]?.named[0] ?? {};
    const { answers } = JSON.parse(renderJsonReport(report));
    const stated = answers[0].policies.find((each: { policy: string }) => each.policy === policy);
    expect(stated).toMatchObject({ costPercent: cost, heldPercent: gain });
    const [page, markdown] = [renderHtmlReport(report), renderMarkdownReport(report)];
    expect(page).toContain(`Costs ${formatPercent(cost)}% of the cost without compaction`);
    expect(page).toContain(`Keeps ${formatPercent(gain)}% of the text later replies needed`);
    expect(markdown).toContain(`Costs ${formatPercent(cost)}% of the cost without compaction`);
    expect(markdown).toContain(`Keeps ${formatPercent(gain)}% of the text later replies needed`);
  });
});

describe("renderJsonReport", () => {
  test("is the whole report as JSON, with the answers, and is read again", () => {
    const { answers, problems, ...report } = JSON.parse(renderJsonReport(exampleReport()));
    expect(report).toEqual(JSON.parse(JSON.stringify(exampleReport())));
    expect(reportSchema().parse({ ...report, problems, answers })).toMatchObject({ problems, answers });
    const little = { says: expect.stringMatching(/^No answer yet\./), sessions: 2, sessionsNeeded: 8, firstPercent: null };
    expect(answers[0]).toMatchObject({ ...little, isRecommended: false });
  });
});
