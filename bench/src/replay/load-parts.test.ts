import { mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { BUILT_IN_PARTS } from "../extension.ts";
import { loadParts } from "./load-parts.ts";

const folder = freshFolder(beforeAll);

const addressOf = (name: string) => pathToFileURL(folder(name)).href;
function write(name: string, text: string): string {
  writeFileSync(folder(name), text);
  return addressOf(name);
}
const IMPORTER = `{ format: "own", description: "", recognises: () => false, read: async () => [] }`;

test("without a module the parts are the built-in ones", async () => {
  expect(await loadParts([])).toBe(BUILT_IN_PARTS);
});

test("a module that is named twice is loaded once, here one that was compiled to CommonJS", async () => {
  const address = write("twice.cjs", `exports.__esModule = true;\nexports.default = { importers: [${IMPORTER}] };\n`);
  const { importers, modules } = await loadParts([address, address]);
  expect([importers[0]?.format, modules]).toEqual(["own", [address]]);
});

test("parts are told apart by the text of their module and of what it imports by relative paths", async () => {
  const address = write("whole.mjs", 'import { importer } from "./part.mjs";\nexport default { importers: [importer] };\n');
  write("part.mjs", `export const importer = ${IMPORTER};\n`);
  const { identity } = await loadParts([address]);
  expect(identity).toMatch(/^[0-9a-f]{64}$/);
  expect((await loadParts([address])).identity).toBe(identity);
  write("part.mjs", `export const importer = ${IMPORTER}; // edited\n`);
  const edited = (await loadParts([address])).identity;
  expect(edited).not.toBe(identity);
  write("whole.mjs", 'import { importer } from "./part.mjs";\n\nexport default { importers: [importer] };\n');
  expect([identity, edited]).not.toContain((await loadParts([address])).identity);
});

test.each([
  ["does not parse", "export default {", /own\.mjs: cannot be loaded \(/],
  ["has no default export", "export const metrics = [];", /own\.mjs: its default export is not an extension; /],
  [
    "adds a name that is taken",
    `export default { importers: [{ ...${IMPORTER}, format: "pi" }] };`,
    /own\.mjs: plimsoll has an importer called "pi" already; /,
  ],
  ["throws as it is loaded", '\nthrow new TypeError("no a");', /own\.mjs: cannot be loaded \(no a, own\.mjs:2\)$/],
  [
    "imports a package that is not there",
    'import "@plimsoll/none";',
    /own\.mjs: cannot be loaded \(it needs @plimsoll\/none, which is not published yet: put the file into examples\/extension of .+\)$/,
  ],
])("a module that %s is bad input that names its place, or what to do", async (what, text, message) => {
  mkdirSync(folder(what));
  const loading = loadParts([write(`${what}/own.mjs`, text)]);
  await expect(loading).rejects.toMatchObject({ code: "bad-input", message: expect.stringMatching(message) });
});
