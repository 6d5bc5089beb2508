/** The browser with which tests of other packages look at their pages. */
export { CHROMIUM, openReportBrowser, pageFaults } from "./report-browser.ts";
