import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exampleReport } from "./example-report.ts";
import { renderHtmlReport } from "./html.ts";

const CHROMIUM = process.env.PLIMSOLL_CHROMIUM ?? "/usr/bin/chromium";
const QUIET =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
const START_MS = 60_000;

const report = exampleReport({
  sessions: ["</script><b>first</b>.jsonl", "second.jsonl"],
  workingRoomsTokens: [32_000, 64_000],
});

describe.skipIf(!existsSync(CHROMIUM))("the HTML report in a browser", { timeout: START_MS }, () => {
  let folder = "";
  let browser: Browser;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "plimsoll-report-"));
    writeFileSync(join(folder, "report.html"), renderHtmlReport(report));
    browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET.split(" ") });
  }, START_MS);

  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  /** Opens the report and collects all that it said and asked for. */
  const open = async (colorScheme: "light" | "dark", width: number) => {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => requests.push(request.url()));
    const address = pathToFileURL(join(folder, "report.html")).href;
    await page.goto(address);
    await page.waitForSelector("#chart[data-lines]");
    return { page, complaints, requests, address };
  };

  const marks = async (page: Page) => ({
    lines: Number(await page.getAttribute("#chart", "data-lines")),
    compactions: Number(await page.getAttribute("#chart", "data-compactions")),
    overflows: Number(await page.getAttribute("#chart", "data-overflows")),
  });

  /** Pixels of the chart that have exactly the colour of a custom property. */
  const pixelsOf = (page: Page, property: string) =>
    page.evaluate<number>(`(() => {
      const canvas = document.querySelector("#chart canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const colour = getComputedStyle(document.documentElement).getPropertyValue("${property}").trim();
      const wanted = Number.parseInt(colour.slice(1) + "ff", 16);
      const pixels = new DataView(data.buffer);
      let count = 0;
      for (let at = 0; at < data.length; at += 4) count += Number(pixels.getUint32(at) === wanted);
      return count;
    })()`);

  const compactionsOf = (session: string, tokens: number) =>
    report.rows
      .filter((row) => row.session === session && row.window.tokens === tokens)
      .reduce((sum, row) => sum + (row.metrics?.economy.compactions ?? 0), 0);

  test.each([
    ["light", 1280],
    ["light", 700],
    ["dark", 1280],
    ["dark", 700],
  ] as const)(
    "opens with the busiest session, draws its marks and asks for nothing (%s, %i pixels wide)",
    async (scheme, width) => {
      const { page, complaints, requests, address } = await open(scheme, width);
      expect(await marks(page)).toEqual({
        lines: 3,
        compactions: compactionsOf("second.jsonl", 32_000),
        overflows: expect.any(Number),
      });
      expect((await marks(page)).overflows).toBeGreaterThan(10);
      expect(complaints).toEqual([]);
      expect(await pixelsOf(page, "--colour-2")).toBeGreaterThan(300);
      expect(await pixelsOf(page, "--overflow")).toBeGreaterThan(50);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      expect(requests).toEqual([address]);
      await page.close();
    },
  );

  test("shows another session and window when they are chosen", async () => {
    const { page, complaints } = await open("light", 1280);
    await page.selectOption("#window-picker", "1");
    expect(await marks(page)).toMatchObject({ compactions: compactionsOf("second.jsonl", 64_000) });
    await page.click("#previous-session");
    expect(await marks(page)).toMatchObject({ compactions: compactionsOf("</script><b>first</b>.jsonl", 64_000) });
    expect(await page.locator("#cell-rows tr").count()).toBe(3);
    expect(await page.locator("main b:not(.key b)").count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("opens a compaction: what was kept, lost and needed later", async () => {
    const { page, complaints } = await open("dark", 1280);
    expect(Number(await page.getAttribute("#composition", "data-layers"))).toBe(4);
    expect(await page.locator("#composition path").count()).toBe(4);
    const first = page.locator("#compactions details").first();
    expect(await page.locator("#compactions details").count()).toBeGreaterThan(1);
    await first.locator("summary").click();
    expect(await first.locator("ul li").allTextContents()).toEqual([
      expect.stringContaining("src/parser.ts"),
      expect.stringContaining("</script>E1234"),
    ]);
    await page.selectOption("#policy-picker", { label: "none" });
    expect(await page.locator("#compactions details").count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("sorts tables and saves them as CSV", async () => {
    const { page, complaints } = await open("light", 1280);
    const table = page.locator("#policies ~ .scroll table").first();
    const column = (index: number) => table.locator(`tbody tr td:nth-child(${index})`).allTextContents();
    const compactions = table.locator("thead th", { hasText: "compac-tions" });
    await compactions.click();
    expect(await compactions.getAttribute("aria-sort")).toBe("ascending");
    await compactions.click();
    expect((await column(1))[0]).toBe("sven");
    const save = page.locator("#policies ~ a.csv").first();
    const [download] = await Promise.all([page.waitForEvent("download"), save.click()]);
    const lines = readFileSync(await download.path(), "utf8").split("\n");
    expect(lines[0]).toMatch(/^policy,replayed: fired in sessions,/);
    expect(lines[1]).toMatch(/^sven,/);
    expect(lines).toHaveLength(4);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("begins with validity and draws cost against evidence", async () => {
    const { page } = await open("light", 1280);
    expect(await page.locator("main h2").first().getAttribute("id")).toBe("validity");
    expect(await page.locator("#front ~ .charts circle").count()).toBeGreaterThan(1);
    await page.close();
  });

  test("runs no script that is not its own", async () => {
    const { page, complaints } = await open("light", 1280);
    await page.evaluate(`(() => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'taken over'";
      document.body.append(script);
    })()`);
    expect(await page.title()).toBe("Plimsoll: compaction policies compared");
    expect(complaints.join("\n")).toContain("Content Security Policy");
    await page.close();
  });
});
