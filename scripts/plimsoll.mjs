import { join } from "node:path";
import { buildPackages } from "./build.mjs";
import { root, runNode } from "./tool.mjs";

/** Builds what changed, then runs the command line where the caller stands, so that relative paths mean what they say. */
const buildCode = await buildPackages();
if (buildCode !== 0) {
  process.exitCode = buildCode;
} else {
  const cwd = process.env.INIT_CWD ?? process.cwd();
  const program = join(root, "packages/cli/bin/plimsoll.js");
  const { code } = await runNode([program, ...process.argv.slice(2)], { output: "show", cwd });
  process.exitCode = code;
}
