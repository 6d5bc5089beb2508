import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Everything that a page carries inside itself, besides its data. */
export interface PageAssets {
  readonly style: string;
  /** Scripts in the order in which they run: the chart library, then ours. */
  readonly scripts: readonly string[];
}

/** Our styles; later ones overrule earlier ones. */
const STYLES = ["page.css", "tables.css", "charts.css", "sections.css", "narrow-and-print.css"];

/** The report's own style, for other pages that are to look like it. */
export function readPageStyle(): string {
  return STYLES.map(own).join("\n");
}

/** Reads the chart library's own build and our style and scripts; ours are shipped as they stand, beside this file's source. */
export function readPageAssets(scripts: readonly string[]): PageAssets {
  const { resolve } = createRequire(import.meta.url);
  const library = (file: string) => readFileSync(resolve(`uplot/dist/${file}`), "utf8");
  return {
    style: `${library("uPlot.min.css")}\n${readPageStyle()}`,
    scripts: [library("uPlot.iife.min.js"), ...scripts.map(own)],
  };
}

/** From `src/report` and from `dist/report` alike: the sources are part of the package. */
function own(file: string): string {
  return readFileSync(new URL(`../../src/report/browser/${file}`, import.meta.url), "utf8");
}

/**
 * The content security policy of the page: nothing may be loaded or sent, and only these scripts and this style may run.
 * Elements may not carry style attributes; scripts set styles through the object model, which the policy allows.
 */
export function contentSecurityPolicy({ style, scripts }: PageAssets): string {
  const source = (text: string) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
  return [
    "default-src 'none'",
    `script-src ${scripts.length === 0 ? "'none'" : scripts.map(source).join(" ")}`,
    `style-src ${source(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}
