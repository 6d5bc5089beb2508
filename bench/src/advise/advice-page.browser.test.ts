import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { madeAdvice } from "../../testing/made-advice.ts";
import { CHROMIUM, openReportBrowser, pageFaults } from "../../testing/report-browser.ts";
import { adviceHtml } from "./advise-command.ts";

const HOSTILE = "</script><img src=x onerror=\"document.title='taken'\"> \u202e\"quoted' \ud800";

describe.skipIf(!existsSync(CHROMIUM))("the page of advise", { timeout: 240_000 }, () => {
  test("breaks no rule of accessibility, keeps hostile texts as texts, and asks for nothing", async () => {
    const content = adviceHtml(madeAdvice(HOSTILE));
    expect(content).not.toContain("<img");
    const seen = { title: "", body: "" };
    const faults = await pageFaults({ content, ready: "h1" }, async (page) => {
      Object.assign(seen, { title: await page.title(), body: await page.textContent("body") });
      return [];
    });
    expect(faults).toEqual([]);
    expect(seen.title).not.toBe("taken");
    expect(seen.body).toContain("<img src=x onerror=");
  });

  test("has a button that copies what is to be pasted, or selects it", async () => {
    const browser = await openReportBrowser(adviceHtml(madeAdvice("~/.codex/config.toml")), "h1");
    const { page } = await browser.open("light", 1280);
    expect(await page.textContent("#paste-0-0")).toBe("model_auto_compact_token_limit = 120000");
    await page.click("button[data-copy=paste-0-0]");
    // Not `waitForFunction`: it polls with a string, which the page's policy refuses.
    await page.locator("button[data-copy]", { hasText: /Copied|Selected/ }).waitFor();
    await browser.close();
  });
});
