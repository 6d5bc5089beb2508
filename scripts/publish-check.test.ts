import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  fileProblems,
  manifestProblems,
  PLACEHOLDER,
  PUBLISHED,
  placeholderProblems,
  publishedManifests,
  reader,
} from "./publish-check.mjs";
import { root } from "./tool.mjs";

const manifests = publishedManifests();
const [core = {}] = manifests;

test.each(manifests.map((manifest, index) => [PUBLISHED[index] ?? "", manifest] as const))(
  "%s has all that is published",
  (folder, manifest) => {
    expect([...manifestProblems(manifest), ...fileProblems(manifest, reader(folder))]).toEqual([]);
  },
);

test("all have one version: they are tested together, and released together", () => {
  expect(new Set(manifests.map(({ version }) => version)).size).toBe(1);
});

test.each([
  ["what is new in an older version", "# core\n\n## 0.0.9\n", "begins with 0.0.9, package.json has 0.1.0"],
  ["nothing of what is new", "# core\n", "begins with nothing"],
])("a package that tells %s is refused", (_, changelog, line) => {
  const read = (name: string) => (name === "CHANGELOG.md" ? changelog : "");
  expect(fileProblems({ name: "core", version: "0.1.0" }, read).join("\n")).toContain(line);
});

test("a package without a page is refused", () => {
  expect(fileProblems({ name: "core", version: "0.1.0" }, (name) => (name === "README.md" ? null : "## 0.1.0\n"))).toEqual([
    "core: no README.md",
  ]);
});

describe("a manifest", () => {
  test.each([
    ["without a field", { ...core, bugs: undefined }, "no bugs"],
    ["with few keywords", { ...core, keywords: ["one"] }, "fewer than five keywords"],
    ["that may have side effects", { ...core, sideEffects: true }, "sideEffects is not false"],
    ["whose types come late", { ...core, exports: { ".": { default: "./a.js", types: "./a.d.ts" } } }, "types first"],
  ])("%s is refused", (_, manifest, line) => {
    expect(manifestProblems(manifest).join("\n")).toContain(line);
  });

  test("with the placeholder is refused for each of its fields, and only there", () => {
    expect(placeholderProblems(core).map((line) => line.split(" ")[1])).toEqual(["homepage", "repository", "bugs"]);
    const address = { homepage: "https://host.example/plimsoll", repository: { url: "git+https://host.example/plimsoll.git" } };
    expect(placeholderProblems({ ...core, ...address, bugs: { url: "https://host.example/plimsoll/issues" } })).toEqual([]);
  });

  test("has one placeholder, the same in all of them", () => {
    const placeholders = manifests.flatMap(
      (manifest) => JSON.stringify(manifest).match(/https:\/\/example\.invalid[\w/-]*/g) ?? [],
    );
    expect([...new Set(placeholders.map((each) => each.replace(/\/issues$/, "")))]).toEqual([PLACEHOLDER]);
  });
});

test("what the bench publishes is what it has, without what is for tests", () => {
  const bench = manifests.find(({ name }) => name === "@plimsoll/bench");
  expect(bench).toMatchObject({ publishConfig: { exports: expect.anything() } });
  const { exports, publishConfig } = Object(bench);
  const others = Object.entries(exports).filter(([path]) => !path.startsWith("./testing"));
  expect(publishConfig.exports).toEqual(Object.fromEntries(others));
});

test("the check of a release names only what is there", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const named: readonly string[] = scripts["release:check"].split(" ").filter((word: string) => word.includes("/"));
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
