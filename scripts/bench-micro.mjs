import { join } from "node:path";
import { buildPackages } from "./build.mjs";
import { root, runNode } from "./tool.mjs";

/** Builds what changed, then measures gates, planning and memory. Figures are ratios of one run; nothing of it is compared or kept. */
const buildCode = await buildPackages();
if (buildCode !== 0) {
  process.exitCode = buildCode;
} else {
  const { code } = await runNode(["--expose-gc", join(root, "bench/dist/micro/main.js")], { output: "show" });
  process.exitCode = code;
}
