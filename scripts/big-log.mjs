import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildPackages } from "./build.mjs";
import { root, runNode } from "./tool.mjs";

/**
 * Writes a log of 1 GB with outputs of 50 kB and 50 MB and compactions in between, then opens it through the public entry points, in a fresh
 * process each: read entry by entry, the same with a heap of 128 MB, and folded by a context manager. Prints file, live context, most memory and time. `--megabytes` for another size.
 */
const { values } = parseArgs({ options: { megabytes: { type: "string", default: "1024" } } });

const folder = mkdtempSync(join(tmpdir(), "plimsoll-big-log-"));
try {
  process.exitCode = await buildPackages();
  // Without a limit the collector waits for some hundred megabytes; the second reading shows what is needed.
  for (const [task, ...nodeOptions] of [["write"], ["read"], ["read", "--max-old-space-size=128"], ["fold"]]) {
    if (process.exitCode !== 0) break;
    if (nodeOptions.length > 0) console.log(`node ${nodeOptions.join(" ")}`);
    const program = join(root, "bench/dist/micro/big-log.js");
    const options = ["--megabytes", values.megabytes, "--file", join(folder, "big.jsonl")];
    const { code } = await runNode([...nodeOptions, program, task ?? "", ...options], { output: "show" });
    process.exitCode = code;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
