import { join } from "node:path";
import { buildPackages } from "./build.mjs";
import { root, runNode } from "./tool.mjs";

/**
 * Builds what changed, then measures estimators, gates, plans, folds, importers, replay, and published libraries on the same input. Ratios of
 * one run; nothing of it is compared or kept. `--json` for programs, `--group NAME` for one part alone.
 */
const buildCode = await buildPackages();
if (buildCode !== 0) {
  process.exitCode = buildCode;
} else {
  const { code } = await runNode(["--expose-gc", join(root, "bench/dist/micro/main.js"), ...process.argv.slice(2)], {
    output: "show",
  });
  process.exitCode = code;
}
