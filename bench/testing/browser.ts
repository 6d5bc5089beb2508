/** The browser with which tests of other packages look at their pages. */
export { CHROMIUM, pageFaults } from "./report-browser.ts";
