import { expect, test } from "vitest";
import { contextPages } from "./context-pages.ts";

test("a page for each bundled session shows a cut as it is now and as it was before", async () => {
  const pages = await contextPages();
  expect(pages.length).toBe(3);
  for (const { text } of pages) {
    expect(text).toMatch(/^### Now: cut \d+, sent with call \d+/m);
    expect(text).toMatch(/^### Before: cut \d+/m);
  }
});
