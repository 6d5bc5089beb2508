import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { chromium } from "playwright-core";

/** The browser that pages are looked at with; tests are skipped if it is not. */
export const CHROMIUM: string = process.env.PLIMSOLL_CHROMIUM ?? "/usr/bin/chromium";

const QUIET =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

/** A page, and all that it said and asked for. */
export interface OpenedPage {
  readonly page: Page;
  readonly complaints: readonly string[];
  readonly requests: readonly string[];
  readonly address: string;
}

/** A browser with one page's file. */
export interface ReportBrowser {
  open(colorScheme: "light" | "dark", width: number): Promise<OpenedPage>;
  close(): Promise<void>;
}

/** Starts a browser and writes the page to a file of its own. `ready` is what the page has when it is drawn. */
export async function openReportBrowser(content: string, ready: string): Promise<ReportBrowser> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-report-"));
  const file = join(folder, "report.html");
  writeFileSync(file, content);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET.split(" ") });
  const address = pathToFileURL(file).href;
  return {
    open: async (colorScheme, width) => {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
      const complaints: string[] = [];
      const requests: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("request", (request) => requests.push(request.url()));
      await page.goto(address);
      await page.waitForSelector(ready);
      return { page, complaints, requests, address };
    },
    close: async () => {
      await browser.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Pixels of a chart that have exactly the colour of a custom property of the page. */
export function pixelsOf(page: Page, chart: string, property: string): Promise<number> {
  return page.evaluate<number>(`(() => {
    const canvas = document.querySelector("${chart} canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const colour = getComputedStyle(document.documentElement).getPropertyValue("${property}").trim();
    const wanted = Number.parseInt(colour.slice(1) + "ff", 16);
    const pixels = new DataView(data.buffer);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) count += Number(pixels.getUint32(at) === wanted);
    return count;
  })()`);
}
