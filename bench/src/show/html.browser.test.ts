import { existsSync, readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { CHROMIUM, openReportBrowser, pixelsOf, type ReportBrowser } from "../../testing/report-browser.ts";
import { renderHtmlReport } from "./html.ts";

const START_MS = 120_000;
const HOSTILE = "</script><b>first</b>.jsonl";

const report = exampleReport({
  sessions: [HOSTILE, "second.jsonl"],
  workingRoomsTokens: [32_000, 64_000],
  sweptRatios: [0.6, 0.9],
});

describe.skipIf(!existsSync(CHROMIUM))("the HTML report in a browser", { timeout: START_MS }, () => {
  let browser: ReportBrowser;

  beforeAll(async () => {
    browser = await openReportBrowser(renderHtmlReport(report), "#chart[data-lines]");
  }, START_MS);
  afterAll(() => browser.close());

  /** The page with its folded parts open. */
  const openWhole = async (scheme: "light" | "dark", width: number) => {
    const opened = await browser.open(scheme, width);
    await opened.page.evaluate("for (const part of document.querySelectorAll('details.part')) part.open = true");
    return opened;
  };
  const numberAt = async (page: Page, element: string, name: string) =>
    Number(await page.getAttribute(element, `data-${name}`));
  const marks = async (page: Page) => ({
    lines: await numberAt(page, "#chart", "lines"),
    compactions: await numberAt(page, "#chart", "compactions"),
    overflows: await numberAt(page, "#chart", "overflows"),
    misses: await numberAt(page, "#chart", "misses"),
  });
  const madeIn = (session: string, tokens: number, policies?: readonly string[]) =>
    report.rows
      .filter((row) => row.session === session && row.window.tokens === tokens && policies?.includes(row.policy) !== false)
      .reduce((sum, row) => sum + row.compactions.length, 0);
  const downloaded = async (page: Page, table: string) => {
    const save = page.locator(`.table:has(table[data-name="${table}"]) a.csv`);
    const [download] = await Promise.all([page.waitForEvent("download"), save.click()]);
    return { name: download.suggestedFilename(), lines: readFileSync(await download.path(), "utf8").split("\n") };
  };

  test.each([
    ["light", 1280],
    ["light", 400],
    ["dark", 1280],
    ["dark", 700],
  ] as const)(
    "opens with the busiest session, draws its marks and asks for nothing (%s, %i pixels wide)",
    async (scheme, width) => {
      const { page, complaints, requests, address } = await openWhole(scheme, width);
      const drawn = await marks(page);
      expect(drawn).toMatchObject({ lines: 5, compactions: madeIn("second.jsonl", 32_000) });
      expect(drawn.overflows).toBeGreaterThan(10);
      expect(drawn.misses).toBeGreaterThan(0);
      expect(complaints).toEqual([]);
      expect(requests).toEqual([address]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect(await pixelsOf(page, "#chart", "--colour-2")).toBeGreaterThan(100);
      expect(await pixelsOf(page, "#chart", "--overflow")).toBeGreaterThan(50);
      await page.close();
    },
  );

  test("shows another session and window when they are chosen", async () => {
    const { page, complaints } = await openWhole("light", 1280);
    await page.selectOption("#window-picker", "1");
    await page.waitForSelector(`#chart[data-compactions="${madeIn("second.jsonl", 64_000)}"]`);
    await page.click("#previous-session");
    await page.waitForSelector(`#chart[data-compactions="${madeIn(HOSTILE, 64_000)}"]`);
    expect(await page.locator("#session-rows tr").count()).toBe(5);
    expect(await page.locator("#session-picker option:checked").textContent()).toContain(HOSTILE);
    expect(await page.locator("main b", { hasText: /^first$/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("does by keyboard what a click does: goes to a compaction, hides a line", async () => {
    const { page, complaints } = await browser.open("light", 1280);
    const chart = page.locator("#chart .u-over");
    await chart.focus();
    await page.keyboard.press("PageDown");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/^call \d+: .*compacted/);
    const drawn = await numberAt(page, "#chart", "compactions");
    const line = page.locator("#chart .u-legend th[role=button][aria-pressed=true]").last();
    await line.press("Enter");
    // Not `waitForFunction`: it polls with a string, which the page's policy refuses.
    await expect.poll(() => numberAt(page, "#chart", "compactions")).toBeLessThan(drawn);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("marks what the person runs now once, beside the answer, in the first screen", async () => {
    const { page } = await browser.open("light", 1280);
    const chart = page.locator(".verdict figure").first();
    expect(await chart.locator("circle.ring.c3").count()).toBe(1);
    expect(await chart.locator("text", { hasText: /^recorded$/ }).count()).toBe(1);
    expect((await chart.boundingBox())?.y).toBeLessThan(300);
    await page.close();
  });

  test("opens the folded part that a link leads to", async () => {
    const { page } = await browser.open("light", 1280);
    const part = "#part-requests-and-compactions-32k-for-messages-and-reply";
    expect(await page.locator(part).getAttribute("open")).toBe(null);
    await page.click(`nav a[href="${part}"]`);
    await page.waitForSelector(`${part}[open]`);
    await page.close();
  });

  test.each([
    ["policies-32k-for-messages-and-reply", "cost %", 6],
    ["dollars-and-prompt-cache-64k-for-messages-and-reply", "broken", 6],
    ["kept-measure-by-measure-32k-for-messages-and-reply", "plan", 4],
    ["session", "compactions", 6],
    ["sessions-and-how-reliable-the-figures-are", "messages", 3],
  ])("sorts the table %s and saves it as CSV", async (name, head, rows) => {
    const { page, complaints } = await openWhole("light", 1280);
    const table = page.locator(`table[data-name="${name}"]`);
    const button = table
      .locator("thead button.sort")
      .filter({ hasText: new RegExp(`^${[...head].join("\u00ad?")}`) })
      .first();
    await button.press("Enter");
    const sorted = table.locator("thead th[aria-sort]");
    expect(await sorted.getAttribute("aria-sort")).toBe("ascending");
    const before = (await downloaded(page, name)).lines;
    await button.click();
    expect(await sorted.getAttribute("aria-sort")).toBe("descending");
    const { name: file, lines } = await downloaded(page, name);
    expect(file).toBe(`plimsoll-${name}.csv`);
    expect(lines.length).toBeGreaterThanOrEqual(rows);
    expect(lines[0]).toBe(before[0]);
    expect(lines.toSorted()).toEqual(before.toSorted());
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("exports figures in full, and nothing that a spreadsheet would run", async () => {
    const { page } = await openWhole("light", 1280);
    const { lines } = await downloaded(page, "requests-and-compactions-32k-for-messages-and-reply");
    const tokens = report.rows
      .filter(({ policy, window }) => policy === "none" && window.tokens === 32_000)
      .reduce((sum, { metrics }) => sum + (metrics?.economy.promptTokens ?? 0), 0);
    expect(lines[0]).toMatch(/^policy,requests: calls,/);
    expect(lines.find((line) => line.startsWith("none,"))).toContain(`,${tokens},`);
    await page.close();
  });

  test("answers first, and ends with its method", async () => {
    const { page } = await openWhole("light", 1280);
    expect(await page.locator(".answer").allTextContents()).toEqual([
      expect.stringMatching(/Closest: sven.*Costs .*Keeps .*How sure: too little data: 2 sessions/s),
      expect.stringMatching(/Closest: sven/),
    ]);
    const parts = await page.locator("main h2").allTextContents();
    expect(parts.slice(0, 4)).toEqual([
      "Problems",
      "32k for messages and reply",
      "64k for messages and reply",
      "Context size at each model call",
    ]);
    expect(parts.at(-1)).toBe("Method and limits");
    await page.close();
  });

  test("draws a sweep's line over the threshold", async () => {
    const { page } = await openWhole("light", 1280);
    expect(await page.locator("#sweep ~ .charts path.line").count()).toBeGreaterThanOrEqual(2);
    await page.close();
  });

  test("says what a column means if its head has the focus", async () => {
    const { page } = await openWhole("light", 1280);
    await page.locator('table[data-name="policies-32k-for-messages-and-reply"] button.sort', { hasText: "older %" }).focus();
    const tip = page.locator("#tip");
    expect(await tip.isVisible()).toBe(true);
    expect(await tip.textContent()).toMatch(/older % \(% of needs; higher is better\).*20,000 tokens earlier/s);
    await page.keyboard.press("Escape");
    expect(await tip.isVisible()).toBe(false);
    await page.close();
  });

  test("runs no script that is not its own", async () => {
    const { page, complaints } = await openWhole("light", 1280);
    await page.evaluate(`(() => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'taken over'";
      document.body.append(script);
    })()`);
    expect(await page.title()).toBe("Plimsoll: compaction of these sessions");
    expect(complaints.join("\n")).toContain("Content Security Policy");
    await page.close();
  });
});
