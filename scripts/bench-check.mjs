import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildPackages } from "./build.mjs";
import { baselineOf, movedRows } from "./moved-rows.mjs";
import { root, runNode } from "./tool.mjs";

/**
 * Replays the bundled sessions under every policy and says what moved against the committed baseline; fails if something did.
 * `--update` writes the baseline anew.
 */
const baselineFile = join(root, "bench/baseline.json");
process.exitCode = await buildPackages();
if (process.exitCode === 0) {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-check-"));
  const reportFile = join(folder, "report.json");
  const program = join(root, "packages/cli/bin/plimsoll.js");
  const rooms = ["--window", "16k", "--window", "32k"];
  const args = [program, "bench", "sessions", ...(await everyPolicy()), ...rooms, "--json", reportFile];
  const { code, output } = await runNode(args, { output: "hold", cwd: join(root, "fixtures") });
  if (code !== 0) {
    process.stdout.write(output);
    process.exitCode = code;
  } else {
    const now = baselineOf(JSON.parse(readFileSync(reportFile, "utf8")));
    if (process.argv.includes("--update")) writeFileSync(baselineFile, baselineText(now));
    const before = existsSync(baselineFile) ? JSON.parse(readFileSync(baselineFile, "utf8")) : {};
    const moved = movedRows(before, now);
    for (const line of moved) console.log(line);
    console.log(`${Object.keys(now).length} rows, ${moved.length} moved`);
    process.exitCode = moved.length === 0 ? 0 : 1;
  }
  rmSync(folder, { recursive: true });
}

/**
 * A row a line, so that a change shows as lines.
 * @param {import("./moved-rows.mjs").Baseline} baseline
 */
function baselineText(baseline) {
  const lines = Object.entries(baseline).map(([row, figures]) => `${JSON.stringify(row)}: ${JSON.stringify(figures)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

/**
 * Options that name every preset and every peer; read from the built packages.
 * @returns {Promise<string[]>}
 */
async function everyPolicy() {
  /** @type {{ PRESETS: readonly { name: string }[] }} */
  const { PRESETS } = await import(pathToFileURL(join(root, "packages/core/dist/index.js")).href);
  /** @type {{ PEERS: readonly { policy: { name: string } }[] }} */
  const { PEERS } = await import(pathToFileURL(join(root, "bench/dist/index.js")).href);
  return [...PRESETS, ...PEERS.map(({ policy }) => policy)].flatMap(({ name }) => ["--policy", name]);
}
