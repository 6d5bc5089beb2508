import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../recorded/recorded-sessions.ts";
import { contextPages } from "./context-pages.ts";

test("docs/contexts shows what the model is sent today; pnpm contexts writes it anew", async () => {
  const pages = await contextPages();
  const written = pages.map(({ file }) => ({ file, text: readFileSync(join(ROOT, "docs/contexts", file), "utf8") }));
  expect(pages.length).toBe(3);
  expect(written).toEqual(pages);
});
