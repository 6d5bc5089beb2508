import { commandFile, runNode } from "./tool.mjs";

/** All packages as one program; the pure rows of core and agent once more, without node's and the browser's types; the
 * report's own scripts; the scripts of the repository, with examples in JavaScript. */
const projects = [
  "tsconfig.json",
  "packages/core/tsconfig.pure.json",
  "packages/agent/tsconfig.pure.json",
  "bench/src/show/browser/tsconfig.json",
  "scripts/tsconfig.json",
];

const finished = await Promise.all(
  projects.map((project) => runNode([commandFile("typescript", "tsc"), "--noEmit", "-p", project], { output: "hold" })),
);
for (const [index, { code, output }] of finished.entries()) {
  if (code === 0) continue;
  process.stdout.write(`${projects[index]}\n${output}`);
  process.exitCode = 1;
}
