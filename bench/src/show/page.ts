import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { deflateRawSync } from "node:zlib";
import { html, type Markup, shownJson, trusted } from "./markup.ts";

/** The parts of a page. */
export interface Page {
  readonly title: string;
  readonly main: Markup;
  readonly blocks?: readonly PackedBlock[];
  /** Names of the page's own scripts, in the order in which they run behind the chart library; a page runs none if they are left out. */
  readonly scripts?: readonly string[];
  /** Rules of its own, which overrule those of all pages. */
  readonly style?: string;
  /** Whether its forms may be sent to where it came from; nowhere if it is left out. */
  readonly forms?: "'self'";
}

/** Renders one HTML page that needs no network: style, scripts and data are inside it. */
export function renderPage({ title, main, blocks = [], scripts, style, forms }: Page): string {
  const assets = readPageAssets(scripts, style);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(assets, forms)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${trusted(assets.style)}</style>
</head>
<body>
<main>
${main}
</main>
${blocks.map(({ id, base64 }) => html`<script type="text/plain" id="${id}">${base64}</script>\n`)}
${assets.scripts.map((script) => html`<script>${trusted(script)}</script>\n`)}
</body>
</html>
`.markup;
}

/** Data that a page's script reads: JSON, deflated, as base64. It holds no character that means something in HTML. */
export interface PackedBlock {
  readonly id: string;
  readonly base64: string;
}

/** Packs data that a page shows. Deflated, a report's data has a tenth of its size. */
export function packBlock(id: string, value: unknown): PackedBlock {
  const base64 = deflateRawSync(shownJson(value), { level: 9 }).toString("base64");
  return { id, base64 };
}

interface PageAssets {
  readonly style: string;
  readonly scripts: readonly string[];
}

const STYLES = ["page.css", "tables.css", "charts.css", "sections.css", "narrow-and-print.css"];

/** Reads the chart library's own build and our style and scripts; ours are shipped unchanged, beside this file's source. */
function readPageAssets(scripts: Page["scripts"], more: Page["style"]): PageAssets {
  const style = [...STYLES.map(own), ...(more === undefined ? [] : [more])].join("\n");
  if (scripts === undefined) return { style, scripts: [] };
  const { resolve } = createRequire(import.meta.url);
  return {
    style: `${readFileSync(resolve("uplot/dist/uPlot.min.css"), "utf8")}\n${style}`,
    scripts: [readFileSync(resolve("uplot/dist/uPlot.iife.min.js"), "utf8"), ...scripts.map(own)],
  };
}

/** From `src/show` and from `dist/show` alike: the sources are part of the package. */
function own(file: string): string {
  return readFileSync(new URL(`../../src/show/browser/${file}`, import.meta.url), "utf8");
}

/**
 * The content security policy of the page: nothing may be loaded or sent, and only these scripts and this style may run.
 * Elements may not carry style attributes; scripts set styles through the object model, which the policy allows.
 */
function contentSecurityPolicy({ style, scripts }: PageAssets, forms = "'none'"): string {
  const source = (text: string) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
  return [
    "default-src 'none'",
    `script-src ${scripts.length === 0 ? "'none'" : scripts.map(source).join(" ")}`,
    `style-src ${source(style)}`,
    "base-uri 'none'",
    `form-action ${forms}`,
  ].join("; ");
}

/** Makes a block of text with a button that copies it (`copy-button.js`). `id` must be unique on the page. */
export function pasteBlock({ id, label, text }: Readonly<Record<"id" | "label" | "text", string>>): Markup {
  return html`<div class="paste"><p><b>${label}</b> <button type="button" data-copy="${id}" aria-live="polite">Copy</button></p>
<pre id="${id}" tabindex="0">${text}</pre></div>`;
}
