import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/**
 * Writes a log of 1 GB with outputs of 50 kB and 50 MB and compactions in between, then opens it through the public entry points, in a fresh
 * process each: read entry by entry, opened as a conversation, and with a small heap also with a recall and an undo of what compactions covered. Prints file, context,
 * most memory and time. `--megabytes` for another size.
 */
const { values } = parseArgs({ options: { megabytes: { type: "string", default: "1024" } } });

/**
 * Without a limit the collector waits for some hundred megabytes; a small heap shows what is needed. An undo needs more: the view that it brings
 * back is larger.
 */
const TASKS = [
  ["write"],
  ["read"],
  ["open"],
  ["read", "--max-old-space-size=128"],
  ["open", "--max-old-space-size=224"],
  ["recall", "--max-old-space-size=224"],
  ["undo", "--max-old-space-size=448"],
] as const;

const folder = mkdtempSync(join(tmpdir(), "plimsoll-big-log-"));
const program = fileURLToPath(new URL("./task.js", import.meta.url));
try {
  for (const [task, ...nodeOptions] of TASKS) {
    if (nodeOptions.length > 0) console.log(`node ${nodeOptions.join(" ")}`);
    const options = ["--megabytes", values.megabytes, "--file", join(folder, "big.jsonl")];
    const { status } = spawnSync(process.execPath, [...nodeOptions, program, task, ...options], { stdio: "inherit" });
    process.exitCode = status ?? 1;
    if (status !== 0) break;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
