import { join } from "node:path";
import { buildPackages } from "./build.mjs";
import { root, runNode } from "./tool.mjs";

/** The first thing a visitor runs: builds, then replays the bundled sessions. */
const REPLAY = ["--demo", "--html", "report.html", "--json", "report.json"];

process.stderr.write("building…\n");
process.exitCode = await buildPackages();
if (process.exitCode === 0) {
  const { code } = await runNode([join(root, "packages/cli/bin/plimsoll.js"), "bench", ...REPLAY, ...process.argv.slice(2)], {
    output: "show",
  });
  process.exitCode = code;
}
