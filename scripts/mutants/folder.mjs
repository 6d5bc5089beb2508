import { fork } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { copyCore } from "./core-copy.mjs";
import { mutationsOf, withMutations } from "./operators.mjs";

/** @typedef {import("./operators.mjs").Mutation & { readonly file: string }} PlacedMutation */

/**
 * What is put wrong: folders or files of packages/core/src, split by commas, the tests that must notice it (by default those beside it), which operators, and
 * two of them at a time with `pairs`. `most` bounds how many are tried, chosen by `seed`.
 * @typedef {{
 *   readonly place: string,
 *   readonly tests: readonly string[],
 *   readonly kinds: readonly string[],
 *   readonly pairs: boolean,
 *   readonly most: number,
 *   readonly seed: number,
 * }} FolderOptions
 */

/** Past this a mutant is taken for one that never ends; that is noticed as well. */
const TIMEOUT_MS = 30_000;

/**
 * Puts operators wrong, one or two at a time, and runs the nearest tests on each. Resolves to those that no test noticed.
 * @param {FolderOptions} options
 * @returns {Promise<{ readonly tried: number, readonly survivors: readonly string[] }>}
 */
export async function mutateFolder(options) {
  const { folder, core } = copyCore();
  const source = join(core, "src");
  const places = options.place.split(",").map((place) => place.replace(/^packages\/core\/src\//, "").replace(/\/$/, ""));
  const files = places.flatMap((place) => sourcesIn(source, place));
  const beside = places.flatMap((place) => testsBeside(source, place));
  const tests = (options.tests.length > 0 ? options.tests : beside).map((test) => join(source, test));
  if (files.length === 0 || tests.length === 0) throw new Error(`${options.place}: no sources, or no tests beside them`);
  const all = files.flatMap((file) =>
    mutationsOf(file, readFileSync(join(source, file), "utf8"))
      .filter(({ kind }) => options.kinds.length === 0 || options.kinds.includes(kind))
      .map((mutation) => ({ ...mutation, file })),
  );
  const sets = options.pairs ? pairsOf(all) : all.map((mutation) => [mutation]);
  const chosen = sampled(sets, options.most, options.seed);
  console.log(`${chosen.length} of ${sets.length} mutants of ${files.length} files, ${tests.length} test files`);
  const runner = testRunner(folder, tests);
  /** @type {string[]} */
  const survivors = [];
  try {
    if (!(await runner.passes([]))) throw new Error("the tests fail without any mutant");
    for (const mutations of chosen) {
      if (!(await passesWith(source, mutations, runner))) continue;
      survivors.push(mutations.map(wordsFor).join("  and  "));
      console.log(`SURVIVED ${survivors.at(-1)}`);
    }
  } finally {
    runner.end();
    rmSync(folder, { recursive: true, force: true });
  }
  return { tried: chosen.length, survivors };
}

/** @param {PlacedMutation} mutation */
function wordsFor({ file, line, kind, replacement }) {
  return `${file}:${line} ${kind} → ${replacement.slice(0, 60)}`;
}

/**
 * @param {string} source
 * @param {readonly PlacedMutation[]} mutations
 * @param {ReturnType<typeof testRunner>} runner
 */
async function passesWith(source, mutations, runner) {
  const originals = [...new Set(mutations.map(({ file }) => file))].map((file) => ({
    file,
    path: join(source, file),
    text: readFileSync(join(source, file), "utf8"),
  }));
  const paths = originals.map(({ path }) => path);
  for (const { file, path, text } of originals)
    writeFileSync(
      path,
      withMutations(
        text,
        mutations.filter((mutation) => mutation.file === file),
      ),
    );
  const passed = await runner.passes(paths);
  for (const { path, text } of originals) writeFileSync(path, text);
  runner.changed(paths);
  return passed;
}

/**
 * @param {string} folder
 * @param {readonly string[]} tests
 */
function testRunner(folder, tests) {
  const start = () => fork(join(import.meta.dirname, "test-runs.mjs"), [folder, ...tests], { cwd: folder, stdio: "ignore" });
  let child = start();
  let isReady = new Promise((resolve) => child.once("message", resolve));
  /** @type {string[]} */
  let stale = [];
  /** @param {readonly string[]} files @returns {Promise<boolean>} */
  const passes = async (files) => {
    await isReady;
    const answer = new Promise((resolve) => child.once("message", resolve));
    const late = new Promise((resolve) => setTimeout(() => resolve(null), TIMEOUT_MS).unref());
    child.send([...stale, ...files]);
    stale = [];
    const came = await Promise.race([answer, late]);
    if (came !== null) return typeof came === "object" && "passed" in came && came.passed === true;
    child.kill("SIGKILL");
    child = start();
    isReady = new Promise((resolve) => child.once("message", resolve));
    return false;
  };
  return {
    passes,
    /** @param {readonly string[]} files */
    changed: (files) => void stale.push(...files),
    end: () => void child.kill("SIGKILL"),
  };
}

/** @param {string} source @param {string} place */
function sourcesIn(source, place) {
  if (statSync(join(source, place)).isFile()) return [place];
  const names = readdirSync(join(source, place)).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  return names.map((name) => join(place, name));
}

/** The tests of a folder, or those named after a file. @param {string} source @param {string} place */
function testsBeside(source, place) {
  const isFile = statSync(join(source, place)).isFile();
  const named = join(dirname(place), `${basename(place, ".ts")}.test.ts`);
  if (isFile) return existsSync(join(source, named)) ? [named] : [];
  return readdirSync(join(source, place))
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(place, name));
}

/** Every two mutations at different places. @param {readonly PlacedMutation[]} all */
function pairsOf(all) {
  return all.flatMap((a, index) => all.slice(index + 1).flatMap((b) => (a.file === b.file && a.end > b.start ? [] : [[a, b]])));
}

/**
 * So many of the items, in their order; the same for the same seed.
 * @template T
 * @param {readonly T[]} items
 * @param {number} most
 * @param {number} seed
 * @returns {readonly T[]}
 */
function sampled(items, most, seed) {
  if (items.length <= most) return items;
  const random = randomFrom(seed);
  const ranked = items.map((item, index) => ({ item, index, rank: random() })).toSorted((a, b) => a.rank - b.rank);
  return ranked
    .slice(0, most)
    .toSorted((a, b) => a.index - b.index)
    .map(({ item }) => item);
}

/** Numbers in [0, 1): the same seed gives the same ones (mulberry32, public domain). @param {number} seed */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
