import type { Markup } from "./markup.ts";
import { html, trusted } from "./markup.ts";
import { type PackedBlock, packedElement } from "./packed-block.ts";
import { contentSecurityPolicy, readPageAssets } from "./page-assets.ts";

/** What a page holds. */
export interface Page {
  readonly title: string;
  readonly main: Markup;
  readonly blocks: readonly PackedBlock[];
  /** Names of the page's own scripts, in the order in which they run. */
  readonly scripts: readonly string[];
}

/** One HTML page that needs no network: style, scripts and data are inside it. */
export function renderPage({ title, main, blocks, scripts }: Page): string {
  const assets = readPageAssets(scripts);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(assets)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${trusted(assets.style)}</style>
</head>
<body>
<main>
${main}
</main>
${blocks.map(packedElement)}
${assets.scripts.map((script) => html`<script>${trusted(script)}</script>\n`)}
</body>
</html>
`.markup;
}
