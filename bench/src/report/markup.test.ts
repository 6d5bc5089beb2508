import { describe, expect, test } from "vitest";
import { html, scriptJson } from "./markup.ts";

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

describe("scriptJson", () => {
  test.each([
    ["an end tag", "</script><script>alert(1)</script>"],
    ["a comment that would swallow the end tag", "<!--<script>"],
    ["line separators", "a\u2028b\u2029c"],
    ["$-patterns and quotes", "$& $1 \\ \" '"],
  ])("keeps %s as data", (_, text) => {
    const { markup } = scriptJson({ text });
    expect(markup).not.toMatch(/[<>\u2028\u2029]/);
    expect(JSON.parse(markup)).toEqual({ text });
  });
});
