import { describe, expect, test } from "vitest";
import { documentPages, pageText } from "../../../scripts/documents/pages.mjs";
import { sitePages } from "./build.mjs";
import { MENU, menuOf } from "./navigation.mjs";
import { asSitePage, isFile, sitePath } from "./site-pages.mjs";

const named = MENU.flatMap(({ lines }) => lines.map(({ page }) => page));
const pages = new Set(sitePages());

test("the menu has each page that is written for readers, once, those that it does not name by their titles", () => {
  const menu = menuOf([...documentPages(), "docs/new.md"], (page) => `Title of ${page}`);
  const shown = menu.flatMap(({ lines }) => lines.map(({ page }) => page));
  expect([...shown].sort()).toEqual([...documentPages(), "docs/decisions/README.md", "docs/new.md"].sort());
  expect(menu.at(-1)).toMatchObject({ text: "More" });
  expect(menu.at(-1)?.lines).toContainEqual({ text: "Title of docs/new.md", page: "docs/new.md" });
});

test.each(named)("%s is a file", (page) => {
  expect(isFile(page)).toBe(true);
});

test.each([...pages])("every link on %s leads to something that is there", (page) => {
  expect(asSitePage(page, pageText(page), pages).dead).toEqual([]);
});

test("no two pages stand in one place", () => {
  expect(new Set([...pages].map(sitePath)).size).toBe(pages.size);
});

describe("on the site", () => {
  const known = new Set(["README.md", "docs/a.md", "docs/use/README.md"]);
  test.each([
    ["a page", "[b](use/README.md#x)", "[b](./use/index.md#x)"],
    ["a folder with a page", "[b](use)", "[b](./use/index.md)"],
    ["the repository's own page", "[b](../README.md)", "[b](../overview.md)"],
    ["a file of the repository", "[b](../package.json)", "b"],
    ["an address", "[b](https://host.example)", "[b](https://host.example)"],
    ["code", "`[b](../package.json)`", "`[b](../package.json)`"],
    ["a comment", "<!-- given\nx\n-->\n\nb", "b"],
  ])("%s: %s", (_, text, expected) => {
    expect(asSitePage("docs/a.md", text, known)).toEqual({ text: expected, dead: [] });
  });

  test("a link that leads nowhere is told with its page", () => {
    expect(asSitePage("docs/a.md", "[b](c.md)", known).dead).toEqual(["docs/a.md: c.md"]);
  });
});
