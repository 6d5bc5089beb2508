import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { buildPackages } from "./build.mjs";
import { optionsOf, refuse } from "./options.mjs";
import { root } from "./tool.mjs";

const USAGE = `pnpm against COMMIT: the processor time of plimsoll bench over the recorded
sessions, or the bundled ones, as a multiple of what it takes at another commit,
which is cloned, installed and built in a folder of its own. Both run one after
the other, in one worker, and keep nothing

  --policy NAME  a policy that both commits have; again for several (all presets
                 and peers of commit f7a9326)
  --every N      each N-th session alone (1)
  --rounds N     so many of both, in turn (1)`;

/** The presets and peers that the project had when the goal was set. */
const POLICIES =
  `recorded none sven sven-ci sven-interactive opal klaude-code klaude-code-document pi plimsoll plimsoll-model claude-code cline codex clear-tool-uses
  deep-agents gemini-cli goose rolling-mask batched-mask opencode opencode-prune roo-code`.split(/\s+/);
const WINDOWS = ["16k", "32k", "64k", "128k"];
const COUNT = /^[1-9]\d*$/;

const { values, positionals } = optionsOf(USAGE, {
  allowPositionals: true,
  options: {
    policy: { type: "string", multiple: true, default: POLICIES },
    every: { type: "string", default: "1" },
    rounds: { type: "string", default: "1" },
  },
});
const [commit] = positionals;
if (commit === undefined || positionals.length > 1) refuse("name one commit");
for (const name of /** @type {const} */ (["every", "rounds"]))
  if (!COUNT.test(values[name])) refuse(`--${name} is a whole number above 0, not "${values[name]}"`);

const files = sessionFiles().filter((_, at) => at % Number(values.every) === 0);
const folder = mkdtempSync(join(tmpdir(), "plimsoll-against-"));
try {
  process.exitCode = await compare(join(folder, "other"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Measures both and prints the table.
 * @param {string} other the other commit's folder
 * @returns {Promise<number>} the exit code
 */
async function compare(other) {
  const built = await buildPackages();
  if (built !== 0) return built;
  for (const [program, ...args] of [
    ["git", "clone", "--quiet", "--no-checkout", root, other],
    ["git", "-C", other, "checkout", "--quiet", commit ?? ""],
    ["npx", "-y", "pnpm@12", "--dir", other, "install", "--frozen-lockfile"],
    ["npx", "-y", "pnpm@12", "--dir", other, "run", "build"],
  ]) {
    const { status, stderr, stdout } = spawnSync(program ?? "", args, { encoding: "utf8" });
    if (status === 0) continue;
    console.error(`${program} ${args.join(" ")} failed:\n${stdout}${stderr}`);
    return 1;
  }
  console.log(
    `${files.length} sessions, ${values.policy.length} policies, working rooms ${WINDOWS.join(", ")}; processor seconds\n`,
  );
  console.log(`| round | ${commit} | ours | of it |\n|---:|---:|---:|---:|`);
  for (let round = 1; round <= Number(values.rounds); round++) {
    const theirs = benchSeconds(other, []);
    const ours = benchSeconds(root, ["--no-cache"]);
    if (theirs === null || ours === null) return 1;
    console.log(`| ${round} | ${theirs.toFixed(1)} | ${ours.toFixed(1)} | ${(ours / theirs).toFixed(2)} |`);
  }
  return 0;
}

/**
 * One run of the command line, with its threads.
 * @param {string} checkout
 * @param {readonly string[]} more options that only this commit has
 * @returns {number | null} `null` if it failed
 */
function benchSeconds(checkout, more) {
  const home = mkdtempSync(join(folder, "home-"));
  const options = [...values.policy.flatMap((name) => ["-p", name]), ...WINDOWS.flatMap((size) => ["-w", size])];
  const args = [
    join(checkout, "packages/cli/bin/plimsoll.js"),
    "bench",
    ...files,
    ...options,
    "--jobs",
    "1",
    "--json",
    join(home, "report.json"),
  ];
  const timed = spawnSync(
    "bash",
    [
      "-c",
      'TIMEFORMAT="%U %S"; { time "$0" "$@" >/dev/null 2>"$PLIMSOLL_ERRORS"; } 2>&1; ',
      process.execPath,
      ...args,
      ...more,
    ],
    { encoding: "utf8", env: { ...process.env, HOME: home, PLIMSOLL_ERRORS: join(home, "errors") } },
  );
  if (timed.status !== 0) {
    console.error(`plimsoll bench of ${checkout} failed with exit code ${timed.status}`);
    return null;
  }
  return timed.stdout
    .trim()
    .split(/\s+/)
    .reduce((sum, each) => sum + Number(each), 0);
}

/** The recorded sessions' files in their order, or the bundled ones. @returns {readonly string[]} */
function sessionFiles() {
  const transcripts = process.env.PLIMSOLL_TRANSCRIPTS ?? join(root, "../shared/transcripts");
  const compactions = process.env.PLIMSOLL_COMPACTIONS ?? join(transcripts, "../compactions");
  const recorded = [compactions, transcripts].flatMap(filesBelow);
  return recorded.length > 0 ? recorded : filesIn(join(root, "fixtures/sessions"));
}

/** Files in the folders of a folder: one for each format. @param {string} path */
function filesBelow(path) {
  if (!existsSync(path)) return [];
  const folders = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.flatMap(({ name }) => filesIn(join(path, name)));
}

/** @param {string} path */
function filesIn(path) {
  return readdirSync(path)
    .toSorted()
    .map((name) => join(path, name));
}
