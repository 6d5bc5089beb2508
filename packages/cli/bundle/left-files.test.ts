import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listFiles, removeLeftFiles } from "./left-files.mjs";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-left-files-"));

const HERE = ["entry/worker.js", "one-aaaa.js", "one-bbbb.js"];

test.each([
  ["what another bundle left goes", "left", [["one-bbbb.js", "entry/worker.js"]], ["entry/worker.js", "one-bbbb.js"]],
  ["what is of this one stays", "whole", [HERE], HERE],
  ["without a list everything stays", "unlisted", [], HERE],
])("%s", (_, name, lists, left) => {
  const place = join(folder, name);
  mkdirSync(join(place, "dist/entry"), { recursive: true });
  for (const file of HERE) writeFileSync(join(place, "dist", file), "");
  for (const files of lists) listFiles(place, files);
  removeLeftFiles(place);
  const files = readdirSync(join(place, "dist"), { recursive: true }).map((file) => `${file}`.replaceAll("\\", "/"));
  expect(files.filter((file) => file.endsWith(".js")).toSorted()).toEqual(left);
});
