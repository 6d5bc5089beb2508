import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Page } from "playwright-core";

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

/** Starts a browser and writes the page to a file of its own. `ready` selects an element of the finished page. */
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

/**
 * The rules that a program can check of WCAG 2.2 (A and AA) and of good practice; they are axe-core's. A scheme changes only colours, and a phone only
 * scrolling and distances.
 */
const RULES = {
  all: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  contrast: ["color-contrast"],
  phone: ["scrollable-region-focusable", "target-size"],
} as const;

/** Breaches of the rules in the page with every folded part open: a rule and an element each. */
export async function accessFaults(page: Page, rules: keyof typeof RULES): Promise<readonly string[]> {
  await page.evaluate("for (const item of document.querySelectorAll('details')) item.open = true");
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const runOnly = RULES[rules];
  const options = JSON.stringify({ runOnly, resultTypes: ["violations"] });
  return page.evaluate<readonly string[]>(
    `axe.run(document, ${options}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ": " + target.join(" ") + " " + failureSummary)))`,
  );
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

/** Width of a phone, in pixels of its page. */
const PHONE_WIDTH = 390;

/** Charts are drawn anew a frame or more after the page has another width: the page's width when it fits, or after so many frames. */
const WIDTH_WHEN_DRAWN = `new Promise((tell) => {
  const look = (framesLeft) => {
    const width = document.documentElement.scrollWidth;
    if (width === ${PHONE_WIDTH} || framesLeft === 0) tell(width);
    else requestAnimationFrame(() => look(framesLeft - 1));
  };
  look(120);
})`;

/** A page to look at, in its written form, and a selector of the finished page. */
export interface LookedAtPage {
  readonly content: string;
  readonly ready: string;
}

/**
 * Everything that is wrong with a page, in either scheme and on a phone: breaches of the rules, complaints of the browser, requests for anything
 * else, and a page wider than the phone. `look` adds its findings in the page.
 */
export async function pageFaults(
  { content, ready }: LookedAtPage,
  look: (page: Page) => Promise<readonly string[]> = () => Promise.resolve([]),
): Promise<readonly string[]> {
  const browser = await openReportBrowser(content, ready);
  const faults: string[] = [];
  for (const [scheme, rules] of [
    ["light", "all"],
    ["dark", "contrast"],
  ] as const) {
    const { page, complaints, requests, address } = await browser.open(scheme, 1280);
    faults.push(...(await accessFaults(page, rules)), ...(await look(page)));
    await page.setViewportSize({ width: PHONE_WIDTH, height: 844 });
    const width = await page.evaluate<number>(WIDTH_WHEN_DRAWN);
    if (width !== PHONE_WIDTH) faults.push(`on a phone the page is ${width} pixels wide`);
    if (rules === "all") faults.push(...(await accessFaults(page, "phone")).map((fault) => `on a phone: ${fault}`));
    faults.push(...complaints, ...requests.filter((asked) => asked !== address).map((asked) => `asked for ${asked}`));
    await page.close();
  }
  await browser.close();
  return faults;
}
