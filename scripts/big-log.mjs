import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildPackages } from "./build.mjs";
import { root, runNode } from "./tool.mjs";

/**
 * Writes a log of 1 GB with outputs of 50 kB and 50 MB and compactions in between, then opens it through the public entry points, in a fresh
 * process each: read entry by entry, and folded by a context manager. Prints file, live context, most memory and time. `--megabytes` for another size.
 */
const { values } = parseArgs({ options: { megabytes: { type: "string", default: "1024" } } });

const folder = mkdtempSync(join(tmpdir(), "plimsoll-big-log-"));
try {
  process.exitCode = await buildPackages();
  for (const task of ["write", "read", "fold"]) {
    if (process.exitCode !== 0) break;
    const program = join(root, "bench/dist/micro/big-log.js");
    const { code } = await runNode([program, task, "--megabytes", values.megabytes, "--file", join(folder, "big.jsonl")], {
      output: "show",
    });
    process.exitCode = code;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
