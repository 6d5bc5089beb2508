import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildPackages } from "./build.mjs";
import { root } from "./tool.mjs";

/**
 * Measures the estimators on recorded sessions and writes the figures of docs/estimators.md; with `--refit` it first fits the weights and
 * priors anew and writes their source files (build again to use them). The sessions are not part of the project.
 */
const folder = process.env.PLIMSOLL_TRANSCRIPTS ?? join(root, "../shared/transcripts");

if (!existsSync(folder)) {
  process.stderr.write(`${folder}: no such folder; set PLIMSOLL_TRANSCRIPTS to one with recorded sessions\n`);
  process.exitCode = 1;
} else if ((await buildPackages()) !== 0) {
  process.exitCode = 1;
} else {
  const bench = await import(join(root, "bench/dist/index.js"));
  const transcripts = [];
  for (const format of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    for (const name of readdirSync(join(folder, format.name)).sort()) {
      const displayName = `${format.name}/${name}`;
      transcripts.push(...(await bench.importFile(join(folder, displayName), displayName)));
    }
  }
  if (process.argv.includes("--refit")) {
    const asOf = new Date().toISOString().slice(0, 10);
    const fitted = bench.fitFigures(
      transcripts.filter(({ parentName }) => parentName === null).map(bench.observationsOf),
      asOf,
    );
    for (const { path, text } of bench.figuresSources(fitted)) writeFileSync(join(root, path), text);
  } else {
    const page = join(root, "docs/estimators.md");
    const begin = "<!-- figures: written by `pnpm calibrate` -->";
    const end = "<!-- end of figures -->";
    const [before, rest = ""] = readFileSync(page, "utf8").split(begin);
    const after = rest.split(end)[1] ?? "\n";
    writeFileSync(page, `${before}${begin}\n\n${bench.estimatorsPage(transcripts)}\n${end}${after}`);
  }
}
