import { readFileSync } from "node:fs";
import { IMPORTERS, textSource } from "@plimsoll/bench/extend";
import { fixtureSessions } from "@plimsoll/fixtures";
import { expect, test } from "vitest";
import { variedSession } from "./write-corpus.ts";

test.each(fixtureSessions().map(({ name, path }) => [name, path] as const))(
  "%s: a variation is a session of the same form",
  async (_, path) => {
    const text = readFileSync(path, "utf8");
    const importer = IMPORTERS.find(({ format }) => format === "plimsoll");
    const imported = async (content: string) =>
      (await importer?.read(textSource(content, "s")))?.flatMap(({ entries }) => entries);
    const [before, after, next] = await Promise.all([text, variedSession(text, 7), variedSession(text, 26)].map(imported));
    const formOf = (entries: typeof before) =>
      entries?.map((entry) => (entry.type === "message" ? entry.message.role : entry.type));
    expect(formOf(after)).toEqual(formOf(before));
    expect(formOf(next)).toEqual(formOf(before));
    expect(new Set([before, after, next].map((entries) => JSON.stringify(entries))).size).toBe(3);
    expect(JSON.stringify(after)).toHaveLength(JSON.stringify(before).length);
  },
);

test("what is said again is said again, and what the format means stays", () => {
  const text = '{"type":"assistant","reasoning":"the navigation in src/navigation.ts"}';
  expect(variedSession(text, 1)).toBe(text.replaceAll("navigation", "navigatjon"));
  expect(variedSession(text, 0)).toBe(text);
});
