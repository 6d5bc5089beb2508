import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { inlineFiles } from "./inline-files.mjs";
import { lazyPackages } from "./lazy-packages.mjs";
import { listFiles, removeLeftFiles } from "./left-files.mjs";
import { bundledPackages, noticesText } from "./notices.mjs";
import { workspaceSources } from "./workspace-sources.mjs";

/** The package's folder. */
const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** The bench brings the pool. */
const require = createRequire(new URL("../../../bench/package.json", import.meta.url));
/** Its main file loads its parts by a `require` that it is handed, which no bundler sees; the same as modules lies next to it. */
const JSON_EDITOR = join(dirname(createRequire(import.meta.url).resolve("jsonc-parser")), "../esm/main.js");
/** All bundled packages are found from here too, for a machine without other installs. */
const HERE = join(ROOT, "bundle/node_modules");

/**
 * Files that are loaded by their address: the program, the bench's worker, and the file with which the pool starts it. The pool looks for the last at
 * `entry/worker.js`.
 */
const ENTRIES = {
  plimsoll: join(ROOT, "src/index.ts"),
  worker: join(ROOT, "../../bench/src/replay/worker.ts"),
  "entry/worker": join(dirname(require.resolve("tinypool")), "entry/worker.js"),
};

/** Modules that the program loads before it knows its command: one file for them, whichever commands use them too. */
const START = /\/(?:cli\/src\/io|bench\/src\/terminal\/(?:io|printable)|core\/src\/(?:json|error))\.ts$/;

/** Modules that read a log and fold it, with all that they need: `hook` runs beside an agent, and loads nothing of the engine for it. */
const READ = /\/(?:bench\/src\/formats\/.*|core\/src\/(?:memory\/plan|prompts\/notices|session\/view|edit\/apply-edits))\.ts$/;

/** The help of all commands, below `dist`. */
const HELP = "help.json";

/** Packages that are loaded when they are asked, with the functions that are used. */
const LAZY = { "@pydantic/genai-prices": ["calcPrice", "findProvider"] };

/**
 * A chunk as tests look at it: its file, its imports at once, its possible later imports, and the modules inside.
 * @typedef {{ readonly fileName: string, readonly imports: readonly string[], readonly dynamicImports: readonly string[], readonly modules: readonly string[] }} BundledChunk
 */

/**
 * Writes the whole program with all that it needs into a folder: code, the bundled sessions, and the notices of the bundled packages. Resolves to the
 * chunks.
 * @param {string} folder
 * @returns {Promise<readonly BundledChunk[]>}
 */
export async function bundleInto(folder) {
  const bundle = await rolldown({
    input: ENTRIES,
    platform: "node",
    external: /^node:/,
    resolve: { alias: { "jsonc-parser": JSON_EDITOR }, modules: ["node_modules", HERE] },
    plugins: [workspaceSources(), lazyPackages(LAZY), inlineFiles()],
    transform: { target: "node20.19" },
    logLevel: "warn",
    onwarn: (warning, warn) => {
      if (warning.code === "UNRESOLVED_IMPORT") throw new Error(warning.message);
      warn(warning);
    },
  });
  const code = join(folder, "dist");
  const { output } = await bundle.write({
    dir: code,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: {
      groups: [
        { name: "start", test: START, priority: 2 },
        { name: "read", test: READ },
      ],
    },
  });
  await bundle.close();
  rmSync(join(code, HELP), { force: true });
  const { allHelp, processIo } = await import(pathToFileURL(join(code, "plimsoll.js")).href);
  writeFileSync(join(code, HELP), `${JSON.stringify(await allHelp(processIo()))}\n`);
  listFiles(folder, [HELP, ...output.map(({ fileName }) => fileName), ...(await bundleMod(code))]);
  removeLeftFiles(folder);
  const chunks = output.flatMap((file) =>
    file.type === "chunk"
      ? [
          {
            fileName: file.fileName,
            imports: file.imports,
            dynamicImports: file.dynamicImports,
            modules: Object.keys(file.modules),
          },
        ]
      : [],
  );
  cpSync(join(ROOT, "../../fixtures/sessions"), join(folder, "sessions"), { recursive: true });
  const packages = bundledPackages(chunks.flatMap(({ modules }) => modules));
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), noticesText(packages));
  return chunks;
}

/** The plugin of Claude Code whose mod compacts, below `dist`. */
const MOD_FOLDER = "claude-code";

/**
 * Writes the plugin with its mod: one plain module that imports nothing, since a mod's environment has no modules of Node.
 * @param {string} code the folder of the program's code
 * @returns {Promise<readonly string[]>} its files, by their paths from there
 */
export async function bundleMod(code) {
  const example = join(ROOT, "../../examples/plugins/claude-code");
  const bundle = await rolldown({
    input: join(ROOT, "../providers/src/drop-in/claude-code-mod.ts"),
    platform: "neutral",
    resolve: { modules: ["node_modules", HERE], mainFields: ["module", "main"] },
    plugins: [workspaceSources()],
    transform: { target: "es2023" },
    onwarn: (warning, warn) => {
      if (warning.code === "UNRESOLVED_IMPORT") throw new Error(warning.message);
      warn(warning);
    },
  });
  await bundle.write({ file: join(code, MOD_FOLDER, "hooks/register.js"), format: "esm" });
  await bundle.close();
  const manifest = JSON.parse(readFileSync(join(example, ".claude-plugin/plugin.json"), "utf8"));
  const description = "Compacts with Plimsoll's engine, without a model; recall, undo and what was dropped.";
  mkdirSync(join(code, MOD_FOLDER, ".claude-plugin"), { recursive: true });
  writeFileSync(
    join(code, MOD_FOLDER, ".claude-plugin/plugin.json"),
    `${JSON.stringify({ ...manifest, description }, null, 2)}\n`,
  );
  writeFileSync(join(code, MOD_FOLDER, "hooks/hooks.json"), `${JSON.stringify({ modules: ["./register.js"] }, null, 2)}\n`);
  return ["hooks/register.js", "hooks/hooks.json", ".claude-plugin/plugin.json"].map((file) => `${MOD_FOLDER}/${file}`);
}

/** Writes the program into its place, if any source is younger than the files there. */
export async function bundleChanges() {
  // The notices are written last.
  const [program, notices] = ["dist/plimsoll.js", "THIRD-PARTY-NOTICES.txt"].map((name) =>
    statSync(join(ROOT, name), { throwIfNoEntry: false }),
  );
  const madeMs = program === undefined ? 0 : (notices?.mtimeMs ?? 0);
  const sources = ["packages", "bench", "fixtures", "pnpm-lock.yaml"].flatMap((place) => filesOf(join(ROOT, "../..", place)));
  if (sources.some((file) => statSync(file).mtimeMs > madeMs)) await bundleInto(ROOT);
}

/** Files below a place, without the built and installed ones. @param {string} place @returns {readonly string[]} */
function filesOf(place) {
  if (!statSync(place).isDirectory()) return [place];
  const made = new Set(["node_modules", "dist", "testing", "recordings"]);
  return readdirSync(place).flatMap((name) => (made.has(name) ? [] : filesOf(join(place, name))));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await bundleInto(ROOT);
