/**
 * Proves the versions that providers' drop-ins support: installs the lowest and the highest one of each package into a temporary folder,
 * checks the types of the sources against them, runs the tests that talk to the simulator with them, and plays a session of our packed packages at the ends. `pnpm run peers`, as `pnpm peers` is the package manager's own; needs the registry.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { commandFile, root, runNode } from "../scripts/tool.mjs";

const providers = join(root, "packages/providers");
/** The table of supported versions, from the source. */
const supported = readFileSync(join(providers, "src/client/supported.ts"), "utf8");

/** Where a package's types and code begin; of several files of code the first that a version has. */
const ENTRIES = {
  "@anthropic-ai/sdk": { types: "index.d.mts", code: ["index.mjs"] },
  openai: { types: "index.d.mts", code: ["index.mjs"] },
  ai: { types: "dist/index.d.ts", code: ["dist/index.mjs", "dist/index.js"] },
  "@google/genai": { types: "dist/genai.d.ts", code: ["dist/node/index.mjs"] },
  "@openai/agents-core": { types: "dist/index.d.ts", code: ["dist/index.mjs"] },
};
const SOURCES = ["index.ts", "anthropic/index.ts", "openai-chat/index.ts", "openai-responses/index.ts", "drop-in/*.ts"];
const TESTS = ["faults.test.ts", "anthropic", "drop-in", "session/"];
/** Whose library finds its parts by a name of its own: they are in the sessions at the ends. */
const IN_SESSIONS = ["**/drop-in/openai-agents-filter.test.ts", "**/drop-in/examples.test.ts"];

/** Rows of `pnpm acceptance` that are ends of peer ranges. */
const SESSIONS = [
  "ai-sdk-lowest",
  "ai-sdk-7",
  "langchain-lowest",
  "langchain",
  "openai-agents-lowest",
  "openai-agents-highest",
  "anthropic-lowest",
  "anthropic",
  "chat-lowest",
  "responses-highest",
  "gemini-lowest",
  "gemini-highest",
];

/**
 * The newest release of the last major is named by its major: for a range npm would leave out a version that asks for a newer Node.
 * @param {string} name
 * @returns {readonly [lowest: string, highest: string]}
 */
function ends(name) {
  const row = new RegExp(`\\s"?${name}"?: \\{ from: "([^"]+)", belowMajor: (\\d+) \\}`).exec(supported);
  if (row === null) throw new Error(`no supported versions of ${name}`);
  return [row[1] ?? "", String(Number(row[2]) - 1)];
}

const folder = mkdtempSync(join(tmpdir(), "plimsoll-peers-"));
const names = Object.entries(ENTRIES);
const wanted = names.flatMap(([name]) => {
  const [lowest, highest] = ends(name);
  const alias = name.replaceAll(/[^a-z]/g, "");
  return [
    [`${alias}-lowest`, `npm:${name}@${lowest}`],
    [`${alias}-highest`, `npm:${name}@${highest}`],
  ];
});
writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: Object.fromEntries(wanted) }));
/** @type {import("node:child_process").SpawnSyncOptions} */
const options = { cwd: folder, stdio: "inherit", shell: process.platform === "win32" };
const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund"], options);
if (status !== 0) process.exitCode = 1;
for (const end of status === 0 ? ["lowest", "highest"] : []) {
  /** @param {string} name @param {string} file */
  const pathOf = (name, file) => join(folder, "node_modules", `${name.replaceAll(/[^a-z]/g, "")}-${end}`, file);
  const paths = Object.fromEntries(names.map(([name, { types }]) => [name, [pathOf(name, types)]]));
  const alias = names.flatMap(([name, { code }]) => {
    const replacement = code.map((file) => pathOf(name, file)).find((path) => existsSync(path));
    return replacement === undefined ? [] : [{ find: name, replacement }];
  });
  const config = {
    extends: join(root, "tsconfig.base.json"),
    include: SOURCES.map((source) => join(providers, "src", source)),
    exclude: [join(providers, "src/**/*.test.ts")],
    compilerOptions: { types: ["node"], typeRoots: [join(root, "node_modules/@types")], paths },
  };
  writeFileSync(join(folder, `${end}.json`), JSON.stringify(config));
  writeFileSync(
    join(folder, `${end}.mjs`),
    `import base from ${JSON.stringify(join(root, "vitest.config.ts"))};
const alias = ${JSON.stringify(alias)}.map(({ find, replacement }) => ({ find: new RegExp("^" + find + "$"), replacement }));
const conditions = base.resolve.conditions.filter((condition) => condition !== "module");
export default { ...base, root: ${JSON.stringify(root)}, resolve: { conditions, alias }, ssr: { resolve: { conditions, externalConditions: conditions } } };\n`,
  );
  const types = await runNode([commandFile("typescript", "tsc"), "--noEmit", "-p", join(folder, `${end}.json`)], {
    output: "show",
  });
  const exclude = IN_SESSIONS.flatMap((pattern) => ["--exclude", pattern]);
  const tests = TESTS.map((test) => `packages/providers/src/${test}`);
  const smoke = await runNode(
    [commandFile("vitest", "vitest"), "run", "--config", join(folder, `${end}.mjs`), ...exclude, ...tests],
    {
      output: "show",
    },
  );
  console.log(`${end}: types ${types.code === 0 ? "pass" : "fail"}, tests ${smoke.code === 0 ? "pass" : "fail"}`);
  if (types.code !== 0 || smoke.code !== 0) process.exitCode = 1;
}
rmSync(folder, { recursive: true, force: true });

// Packages that have to be of one kind in a program, LangChain's above all, cannot be replaced by a name: these are installed as a person would, with our packed
// packages, and play a whole session. docs/evidence.md has the result.
const sessions = await runNode([join(root, "lab/acceptance.mjs"), ...SESSIONS], { output: "show" });
console.log(`sessions at the ends: ${sessions.code === 0 ? "pass" : "fail"}`);
if (sessions.code !== 0) process.exitCode = 1;
