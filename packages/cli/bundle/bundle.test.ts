import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { COMMANDS } from "../src/commands.ts";
import { allHelp } from "../src/main.ts";
import { recordedIo } from "../testing/recorded-io.ts";
import { type BundledChunk, bundleInto } from "./bundle.mjs";
import { bundledPackages } from "./notices.mjs";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-bundle-"));
let chunks: readonly BundledChunk[] = [];
beforeAll(async () => {
  chunks = await bundleInto(folder);
}, 120_000);

const chunkOf = (fileName: string) => chunks.find((chunk) => chunk.fileName === fileName);

/** All that is loaded with a chunk at once: its modules by the end of their address, packages by their name. */
function loadedWith(...fileNames: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const visit = (fileName: string): void => {
    if (seen.has(fileName)) return;
    seen.add(fileName);
    for (const next of chunkOf(fileName)?.imports ?? []) visit(next);
  };
  for (const fileName of fileNames) visit(fileName);
  const modules = [...seen].flatMap((fileName) => chunkOf(fileName)?.modules ?? []);
  return [...new Set(modules.map(shortName))].toSorted();
}

function shortName(id: string): string {
  const [, inPackage] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
  return inPackage ?? id.replace(/^.*\/(packages\/|bench\/|fixtures\/)/, "$1");
}

/** The chunk that a command's entry loads. */
const commandChunk = (name: string) =>
  `${chunks.find(({ modules }) => modules.some((id) => id.endsWith(`/${name}-command.ts`)))?.fileName}`;

const PROGRAM = [
  "bench/src/commands.ts",
  "bench/src/terminal/io.ts",
  "bench/src/terminal/printable.ts",
  "packages/cli/src/commands.ts",
  "packages/cli/src/index.ts",
  "packages/cli/src/io.ts",
  "packages/cli/src/main.ts",
  "packages/core/src/error.ts",
  "packages/core/src/json.ts",
];

/** Large packages that most commands never need. */
const HEAVY = ["@anthropic-ai/sdk", "openai", "@modelcontextprotocol/sdk", "js-tiktoken", "fzstd", "ai"];

describe("the bundled program", () => {
  test("loads nothing but its list of commands to say its version", () => {
    expect(loadedWith("plimsoll.js").filter((name) => !name.startsWith("\0"))).toEqual(PROGRAM);
  });

  test("has the help of every command as the command says it", async () => {
    const written = JSON.parse(readFileSync(join(folder, "dist/help.json"), "utf8"));
    expect(written).toEqual(await allHelp(recordedIo(folder).io));
    expect(Object.keys(written)).toEqual(["", ...COMMANDS.map(({ name }) => name)]);
  }, 60_000);

  test.each(COMMANDS.map(({ name }) => name))("%s is a file of its own, which loads no SDK before it is needed", (name) => {
    const loaded = loadedWith(commandChunk(name));
    expect(loaded).not.toEqual([]);
    expect(loaded.filter((each) => HEAVY.includes(each))).toEqual([]);
  });

  test("hook loads what reads a log, and nothing that compacts or measures", () => {
    const idle = /^(?:packages\/core\/src\/(?:strategy|policy\/presets|tokens\/ledger)|bench\/src\/(?:peers|metrics|replay))\//;
    expect(loadedWith(commandChunk("hook")).filter((name) => idle.test(name))).toEqual([]);
  });

  test("has the files that are found by their address, and the sessions", () => {
    expect(readdirSync(join(folder, "dist"))).toEqual(expect.arrayContaining(["plimsoll.js", "worker.js", "entry"]));
    expect(readdirSync(join(folder, "sessions"))).toHaveLength(3);
  });

  test("has the licence of each package inside, as text if the package has one", () => {
    const packages = bundledPackages(chunks.flatMap(({ modules }) => modules));
    expect(packages.length).toBeGreaterThan(20);
    expect(packages.filter(({ text }) => text === null).map(({ name }) => name)).toEqual(["js-tiktoken", "standardwebhooks"]);
    const known = ["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "Unlicense", "0BSD"];
    expect(packages.filter(({ license }) => !known.includes(license))).toEqual([]);
  });
});

/** Packages that are installed for a project of the workspace, those of other projects that it is made of among them. */
function installedFor(project: string): ReadonlySet<string> {
  const lock: Lock = parse(readFileSync(new URL("../../../pnpm-lock.yaml", import.meta.url), "utf8"));
  const seen = new Set<string>();
  const visit = (key: string): void => {
    if (seen.has(key)) return;
    seen.add(key);
    const { dependencies = {}, optionalDependencies = {} } = lock.snapshots[key] ?? {};
    for (const [name, version] of Object.entries({ ...dependencies, ...optionalDependencies })) visit(`${name}@${version}`);
  };
  const enter = (place: string): void => {
    for (const [name, { version }] of Object.entries(lock.importers[place]?.dependencies ?? {}))
      if (version.startsWith("link:")) enter(join(place, version.slice("link:".length)));
      else visit(`${name}@${version}`);
  };
  enter(project);
  return seen;
}

interface Lock {
  readonly importers: Readonly<
    Record<string, { readonly dependencies?: Readonly<Record<string, { readonly version: string }>> }>
  >;
  readonly snapshots: Readonly<
    Record<string, Readonly<Partial<Record<"dependencies" | "optionalDependencies", Readonly<Record<string, string>>>>>>
  >;
}

test("`start` installs at most 250 packages", () => {
  const packages = [...installedFor("packages/cli/bundle")];
  expect(packages).toContainEqual(expect.stringMatching(/^rolldown@/));
  expect(packages).toContainEqual(expect.stringMatching(/^uplot@/));
  expect(packages.length).toBeLessThanOrEqual(250);
});
