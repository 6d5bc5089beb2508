import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";
import { documentPages, pageText } from "../../../scripts/documents/pages.mjs";
import { menuOf } from "../src/navigation.mjs";
import { sitePath } from "../src/site-pages.mjs";

const linkOf = (page) => `/${sitePath(page).replace(/(index)?\.md$/, "")}`;
const titleOf = (page) => /^# (.*)$/m.exec(pageText(page))?.[1] ?? page;
const LIBRARIES = ["@plimsoll/core", "@plimsoll/providers", "@plimsoll/tools"];
/** Written by the build: the pages of the API reference, one for each entry. */
const api = JSON.parse(readFileSync(new URL("../pages/api/menu.json", import.meta.url), "utf8"));

export default defineConfig({
  title: "Plimsoll",
  description: "Keeps long sessions of LLM agents inside the model's context window, and says what that costs and loses.",
  srcDir: "pages",
  outDir: "dist",
  cacheDir: "pages/.cache",
  cleanUrls: true,
  head: [["link", { rel: "icon", href: "/mark.svg", type: "image/svg+xml" }]],
  // Text like <n> or {{ n }} on a page is text.
  markdown: {
    html: false,
    config: ({ renderer }) => {
      const { text } = renderer.rules;
      renderer.rules.text = (...args) => text(...args).replaceAll("{{", "&#123;&#123;");
    },
  },
  themeConfig: {
    logo: "/mark.svg",
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Start", link: linkOf("README.md") },
      { text: "API", link: "/api/" },
    ],
    sidebar: {
      "/api/": LIBRARIES.map((name) => ({
        text: name,
        items: api
          .filter(({ text }) => text === name || text.startsWith(`${name}/`))
          .map(({ text, link }) => ({ text: text === name ? name : `.${text.slice(name.length)}`, link })),
      })),
      "/": menuOf(documentPages(), titleOf).map(({ text, lines }, index) => ({
        text,
        collapsed: index > 0,
        items: lines.map((line) => ({ text: line.text, link: linkOf(line.page) })),
      })),
    },
  },
});
