import { inflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { html } from "./markup.ts";
import { packBlock } from "./page.ts";
import { escaped } from "./table.ts";

describe("html", () => {
  test.each([
    ["element content", html`<p>${"<b>&"}</p>`, "<p>&lt;b&gt;&amp;</p>"],
    ["attributes", html`<p title="${`"'`}"></p>`, '<p title="&quot;&#39;"></p>'],
    ["markup in markup", html`<p>${html`<b>${"<"}</b>`}</p>`, "<p><b>&lt;</b></p>"],
    ["lists of markup", html`<ul>${["a", "<"].map((text) => html`<li>${text}</li>`)}</ul>`, "<ul><li>a</li><li>&lt;</li></ul>"],
    ["numbers", html`<p>${0}</p>`, "<p>0</p>"],
  ])("escapes in %s", (_, made, expected) => {
    expect(made.markup).toBe(expected);
  });
});

test.each([
  ["an escape", "a\u001b[2Jb", "a\\u{1b}[2Jb"],
  ["a C1 control", "a\u009bb", "a\\u{9b}b"],
  ["a turn of direction", "a\u202eb\u2066c\u200f", "a\\u{202e}b\\u{2066}c\\u{200f}"],
  ["no width", "a\u200bb\u2060c\ufeff\u00ad", "a\\u{200b}b\\u{2060}c\\u{feff}\\u{ad}"],
  ["a tag", "a\u{e0041}", "a\\u{e0041}"],
  ["a stroke over others", "a\u0336", "a\\u{336}"],
  ["accents, tabs, line ends and emoji as they are", "e\u0301\té\n\u26a0\ufe0f", "e\u0301\té\n\u26a0\ufe0f"],
])("shows %s", (_, text, shown) => {
  expect(html`${text}`.markup).toBe(shown);
  const packed = Buffer.from(packBlock("a", { text }).base64, "base64");
  expect(JSON.parse(inflateRawSync(packed).toString())).toEqual({ text: shown });
  expect(escaped(text)).toBe(shown.replaceAll("\\", "\\\\").replace(/[[]/g, "\\$&").replace(/\s/g, " "));
});
